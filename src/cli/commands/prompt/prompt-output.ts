import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { TurnResult } from "../../../view/turn-result.ts";
import { turnAnswer } from "../../../view/turn-result.ts";
import { jsonLine } from "../../../view/wire-json.ts";

/** Returns the object of `--output-format json`. */
export function resultJson(session: SessionId, turn: TurnResult): string {
  const { text: result, reason: stop_reason, turns, cost_usd, tools_used, error } = turnAnswer(turn);
  const told = { session, result, turns, cost_usd, tools_used, stop_reason };
  return jsonLine(error === undefined ? told : { ...told, error });
}

/** Returns that object for a run that failed before its turn. */
export function failureJson(thrown: unknown): string {
  const cancelled = thrown instanceof Cancelled;
  const reason = thrown instanceof HarnessError ? thrown.reason : "InternalError";
  return jsonLine({
    session: null,
    result: "",
    turns: 0,
    cost_usd: 0,
    tools_used: [],
    stop_reason: cancelled ? "cancelled" : "error",
    ...(cancelled ? {} : { error: { reason, message: messageOf(thrown) } }),
  });
}
