import { Cancelled, customError, HarnessError } from "../../base/errors.ts";
import { numberAt } from "../../base/json.ts";
import type { Fields, Reason } from "../../base/reasons.ts";
import { isCustomReason, isReason } from "../../base/reasons.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import type { CallRetry, CallUsage, PromptResult, Usage } from "./embedder.ts";

/** Called with each event of the turn that is the prompt's own. */
interface PromptWatcher {
  onUser(content: NonNullable<EnvelopeOf<"TurnStarted">["payload"]["content"]>): void;
  onUsage(usage: CallUsage): void;
  onRetry(retry: CallRetry): void;
}

/**
 * Follows one turn to its end.
 * @throws HarnessError for a turn that failed; the signal's reason, or a `Cancelled`, for one that was cancelled.
 */
export async function resultOf(
  events: AsyncIterable<Envelope>,
  watcher: PromptWatcher,
  signal: AbortSignal,
): Promise<PromptResult> {
  let text = "";
  let usage = NO_USAGE;
  let calls = 0;
  let failure: EnvelopeOf<"Error">["payload"] | undefined;
  for await (const event of events) {
    if (event.kind === "CostIncremented") {
      const call = usageOf(event.payload);
      usage = plus(usage, call);
      watcher.onUsage(call);
    }
    if (
      event.kind === "CostIncremented" &&
      event.parentCall === undefined &&
      event.payload.purpose === undefined
    )
      calls++;
    if (event.parentCall !== undefined) continue; // a sub-agent's: the call that it answers has its result
    if (event.kind === "TurnStarted" && event.payload.content !== undefined)
      watcher.onUser(event.payload.content);
    if (event.kind === "ToolResult") text = ""; // what was said before a call is not the answer
    if (event.kind === "TextDelta") text += event.payload.text;
    if (event.kind === "Error" && event.payload.severity !== "notice") failure = event.payload;
    const retry = event.kind === "Error" ? retryOf(event.payload) : undefined;
    if (retry !== undefined) watcher.onRetry(retry);
    if (event.kind !== "TurnEnded") continue;
    const { reason, rounds = 0 } = event.payload;
    if (reason === "cancelled")
      throw signal.aborted ? signal.reason : new Cancelled("library", "the prompt was cancelled");
    if (reason === "error") throw errorOf(failure);
    // The time limit may cut a call off before its provider reports usage.
    const isWhole = reason !== "time_limit" || calls >= rounds;
    return { text, reason, turns: rounds, usage: isWhole ? usage : { ...usage, costUsd: null } };
  }
  throw new HarnessError("EngineStopping", {});
}

/** The wait that an Error event tells of; undefined where nothing is tried again. */
function retryOf({ reason, message, details }: EnvelopeOf<"Error">["payload"]): CallRetry | undefined {
  const waitMs = numberAt(details, "retryInMs");
  const [attempt, attemptsMax] = [numberAt(details, "attempt"), numberAt(details, "attemptsMax")];
  if (waitMs === undefined || attempt === undefined || attemptsMax === undefined) return undefined;
  return { reason, message, attempt, attemptsMax, waitMs };
}

const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
};

function usageOf(payload: EnvelopeOf<"CostIncremented">["payload"]): CallUsage {
  const { provider, model, inputTokens, outputTokens, usd: costUsd } = payload;
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = payload;
  return { provider, model, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd };
}

function plus(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    costUsd: one.costUsd === null || other.costUsd === null ? null : one.costUsd + other.costUsd,
  };
}

/** The error that an Error event describes, as it was raised. */
function errorOf(failure: EnvelopeOf<"Error">["payload"] | undefined): HarnessError {
  if (failure !== undefined && isCustomReason(failure.reason))
    return customError({ ...failure, reason: failure.reason });
  if (failure === undefined || !isReason(failure.reason)) {
    return new HarnessError("InternalError", { what: failure?.message ?? "a turn failed without an error" });
  }
  return new HarnessError(failure.reason, (failure.details ?? {}) as Fields<Reason>); // as the engine published them
}
