import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { TurnResult } from "../../../view/turn-result.ts";
import { NEW_TURN, turnAnswer, turnResult } from "../../../view/turn-result.ts";
import { jsonLine } from "../../../view/wire-json.ts";

/** Returns the object of `--output-format json`. */
export function resultJson(session: SessionId, turn: TurnResult): string {
  const {
    text: result,
    reason: stop_reason,
    turns,
    cost_usd,
    usage,
    tools_used,
    refused,
    error,
  } = turnAnswer(turn);
  const summary = { session, result, turns, cost_usd, usage, tools_used, refused, stop_reason };
  return jsonLine(error === undefined ? summary : { ...summary, error });
}

/** A run so far: its session, and its turn up to the last event. */
export interface RunSoFar {
  session?: SessionId;
  turn?: TurnResult;
}

/** Returns that object for a run that failed outside of its turn; it names the session, and has the turn so far. */
export function failureJson(thrown: unknown, { session, turn }: RunSoFar = {}): string {
  const cancelled = thrown instanceof Cancelled;
  const reason = thrown instanceof HarnessError ? thrown.reason : "InternalError";
  const {
    text: result,
    turns,
    cost_usd,
    usage,
    tools_used,
    refused,
  } = turnAnswer(turn ?? turnResult(NEW_TURN));
  return jsonLine({
    session: session ?? null,
    result,
    turns,
    cost_usd,
    usage,
    tools_used,
    refused,
    stop_reason: cancelled ? "cancelled" : "error",
    ...(cancelled ? {} : { error: { reason, message: messageOf(thrown) } }),
  });
}
