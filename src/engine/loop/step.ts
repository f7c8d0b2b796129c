import type { Reason } from "../../base/reasons.ts";
import type { TurnEndReason } from "../../protocol/events/events.ts";
import type { ModelReply, PendingCall } from "./reply.ts";

/** Next step of the loop after an answer. */
export type Step =
  | { readonly kind: "dispatch"; readonly calls: readonly PendingCall[] }
  /** The provider paused: the same conversation is sent again. */
  | { readonly kind: "again" }
  | { readonly kind: "yield"; readonly reason: TurnEndReason; readonly error?: StepError };

/** Reasons of an end that is also published as an Error event. */
export type StepError = Extract<
  Reason,
  "OutputTruncated" | "EmptyResponse" | "ResponseRefused" | "TurnLimitReached"
>;

/**
 * Decides whether to continue or end the turn, the only policy in the loop ([A] § The agent loop, ENG-02, ENG-03).
 *
 * @param round counts the provider calls of this turn from 1; at `roundsMax` no tool is run any more (ENG-05).
 */
export function nextStep(reply: ModelReply, round: number, roundsMax: number): Step {
  if (reply.finish === "length") return { kind: "yield", reason: "length", error: "OutputTruncated" };
  if (reply.finish === "refused") return { kind: "yield", reason: "error", error: "ResponseRefused" };
  if (reply.finish === "error") return { kind: "yield", reason: "error", error: "ResponseRefused" };
  if (reply.yielded) return { kind: "yield", reason: "yield" };
  const more = reply.calls.length > 0 || reply.finish === "paused";
  if (more && round >= roundsMax) return { kind: "yield", reason: "turn_limit", error: "TurnLimitReached" };
  if (reply.finish === "paused") return { kind: "again" };
  if (reply.calls.length > 0) return { kind: "dispatch", calls: reply.calls };
  if (reply.message === undefined) return { kind: "yield", reason: "empty", error: "EmptyResponse" };
  return { kind: "yield", reason: "complete" };
}
