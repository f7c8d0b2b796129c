import { Cancelled, customError, HarnessError } from "../../base/errors.ts";
import type { ClientId } from "../../base/ids.ts";
import { numberAt } from "../../base/json.ts";
import type { Fields, Reason } from "../../base/reasons.ts";
import { isCustomReason, isReason } from "../../base/reasons.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import type { Cost } from "../../view/costs/cost.ts";
import { priceOf } from "../../view/costs/cost.ts";
import { followTurn } from "../../view/follow-turn.ts";
import type { TurnError } from "../../view/turn-result.ts";
import type { CallRetry, CallUsage, PromptResult } from "./embedder.ts";

/** Called with each event of the turn that is the prompt's own. */
export interface PromptWatcher {
  onUser(content: NonNullable<EnvelopeOf<"TurnStarted">["payload"]["content"]>): void;
  onUsage(usage: CallUsage): void;
  onRetry(retry: CallRetry): void;
}

/**
 * Follows the turn of a prompt to its end.
 * @throws HarnessError for a turn that failed; the signal's reason, or a `Cancelled`, for one that was cancelled.
 */
export async function resultOf(
  events: AsyncIterable<Envelope>,
  by: ClientId,
  { watcher = {}, signal }: { readonly watcher?: Partial<PromptWatcher>; readonly signal: AbortSignal },
): Promise<PromptResult> {
  const result = await followTurn(events, { by }, (event) => {
    if (event.kind === "CostIncremented") watcher.onUsage?.(usageOf(event.payload));
    if (event.parentCall !== undefined) return; // a sub-agent's: the call that it answers has its result
    if (event.kind === "TurnStarted" && event.payload.content !== undefined)
      watcher.onUser?.(event.payload.content);
    const retry = event.kind === "Error" ? retryOf(event.payload) : undefined;
    if (retry !== undefined) watcher.onRetry?.(retry);
  });
  if (result === "withdrawn" || result.reason === undefined) throw new HarnessError("EngineStopping", {});
  const { text, reason, rounds: turns, cost, error } = result;
  if (reason === "cancelled")
    throw signal.aborted ? signal.reason : new Cancelled("library", "the prompt was cancelled");
  if (reason === "error") throw errorOf(error);
  const ended = { text, reason, turns, usage: { ...tokensOf(cost), costUsd: priceOf(cost) } };
  return error === undefined ? ended : { ...ended, error: { reason: error.reason, message: error.message } };
}

/** Returns the wait that an Error event reports; undefined if nothing is tried again. */
function retryOf({ reason, message, details }: EnvelopeOf<"Error">["payload"]): CallRetry | undefined {
  const waitMs = numberAt(details, "retryInMs");
  const [attempt, attemptsMax] = [numberAt(details, "attempt"), numberAt(details, "attemptsMax")];
  if (waitMs === undefined || attempt === undefined || attemptsMax === undefined) return undefined;
  return { reason, message, attempt, attemptsMax, waitMs };
}

function usageOf(payload: EnvelopeOf<"CostIncremented">["payload"]): CallUsage {
  const { provider, model, inputTokens, outputTokens, usd: costUsd } = payload;
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = payload;
  return { provider, model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd };
}

function tokensOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Cost) {
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

/** Returns the error of a failed turn as it was raised. */
function errorOf(failure: TurnError | undefined): HarnessError {
  if (failure !== undefined && isCustomReason(failure.reason))
    return customError({ ...failure, reason: failure.reason });
  if (failure === undefined || !isReason(failure.reason)) {
    return new HarnessError("InternalError", { what: failure?.message ?? "a turn failed without an error" });
  }
  return new HarnessError(failure.reason, (failure.details ?? {}) as Fields<Reason>); // as the engine published them
}
