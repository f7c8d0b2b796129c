import { Cancelled, HarnessError, messageOf } from "../base/errors.ts";
import type { SessionId } from "../base/ids.ts";
import { dollars, priceOf } from "../client/kit/cost.ts";
import type { TurnRecord } from "../client/kit/turn-record.ts";
import type { Envelope } from "../protocol/envelope.ts";

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

/** One line of `--output-format stream-json`. */
export function envelopeJson(envelope: Envelope): string {
  if (envelope.kind !== "CostIncremented" || envelope.payload.usd === null) return jsonLine(envelope);
  return jsonLine({ ...envelope, payload: { ...envelope.payload, usd: dollars(envelope.payload.usd) } });
}

/**
 * One value on one line. The characters that JSON leaves as they are and a terminal obeys, or hides, are written as
 * escapes: the same value, and safe to look at (TUI-07).
 */
export function jsonLine(value: unknown): string {
  const escaped = JSON.stringify(value).replaceAll(
    /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${escaped}\n`;
}
