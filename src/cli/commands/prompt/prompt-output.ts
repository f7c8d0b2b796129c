import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import type { SessionId } from "../../../base/ids.ts";
import { priceOf } from "../../../view/costs/cost.ts";
import type { TurnRecord } from "../../../view/turn-record.ts";
import { jsonLine } from "../../../view/wire-json.ts";

/** The one object of `--output-format json`. */
export function resultJson(session: SessionId, record: TurnRecord): string {
  const stopReason = record.ended?.reason ?? "error";
  const failed = stopReason === "error" && record.error !== undefined;
  return jsonLine({
    session,
    result: record.text,
    turns: record.ended?.rounds ?? 0,
    cost_usd: priceOf(record.cost),
    tools_used: record.tools,
    stop_reason: stopReason,
    ...(failed ? { error: record.error } : {}),
  });
}

/** The same object for a run that failed before its turn began. */
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
