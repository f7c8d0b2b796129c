import type { Envelope } from "../protocol/events/envelope.ts";
import { dollars } from "./costs/cost.ts";

/** Renders an envelope on one line, the same on every transport and in every export (BUS-02). */
export function envelopeJson(envelope: Envelope): string {
  if (envelope.kind !== "CostIncremented" || envelope.payload.usd === null) return jsonLine(envelope);
  return jsonLine({ ...envelope, payload: { ...envelope.payload, usd: dollars(envelope.payload.usd) } });
}

/**
 * Renders one value on one line. Characters that JSON allows and a terminal obeys, or hides, are written as escapes:
 * the same value, and safe to print (TUI-07).
 */
export function jsonLine(value: unknown): string {
  const escaped = JSON.stringify(value).replaceAll(
    /[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${escaped}\n`;
}
