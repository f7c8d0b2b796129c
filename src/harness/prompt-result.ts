import { Cancelled, HarnessError } from "../base/errors.ts";
import type { Fields, Reason } from "../base/reasons.ts";
import { isReason } from "../base/reasons.ts";
import type { Envelope, EnvelopeOf } from "../protocol/envelope.ts";
import type { PromptResult } from "./embedder.ts";

/**
 * Follows one turn to its end.
 * @throws HarnessError for a turn that failed; the signal's reason, or a `Cancelled`, for one that was cancelled.
 */
export async function resultOf(events: AsyncIterable<Envelope>, signal: AbortSignal): Promise<PromptResult> {
  let text = "";
  let failure: EnvelopeOf<"Error">["payload"] | undefined;
  for await (const event of events) {
    if (event.parentCall !== undefined) continue; // a sub-agent's: its result is told by the call that it answers
    if (event.kind === "ToolResult") text = ""; // what was said before a call is not the answer
    if (event.kind === "TextDelta") text += event.payload.text;
    if (event.kind === "Error" && event.payload.severity !== "notice") failure = event.payload;
    if (event.kind !== "TurnEnded") continue;
    const { reason, rounds = 0 } = event.payload;
    if (reason === "cancelled")
      throw signal.aborted ? signal.reason : new Cancelled("library", "the prompt was cancelled");
    if (reason === "error") throw errorOf(failure);
    return { text, reason, turns: rounds };
  }
  throw new HarnessError("EngineStopping", {});
}

/** The error that an Error event tells of, as it was raised. */
function errorOf(failure: EnvelopeOf<"Error">["payload"] | undefined): HarnessError {
  if (failure === undefined || !isReason(failure.reason)) {
    return new HarnessError("InternalError", { what: failure?.message ?? "a turn failed without an error" });
  }
  return new HarnessError(failure.reason, (failure.details ?? {}) as Fields<Reason>); // as the engine published them
}
