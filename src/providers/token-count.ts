import { numberAt } from "../base/json.ts";

/** A higher number is no token count: no model takes a millionth of it. */
export const TOKENS_MAX = 1e12;

/**
 * Reads a token count at a key and rounds a fraction up, so that no cost is lost. Returns undefined if it is absent,
 * below 0 or above `TOKENS_MAX`.
 */
export function tokensAt(value: unknown, key: string): number | undefined {
  const found = numberAt(value, key);
  if (found === undefined || found < 0 || found > TOKENS_MAX) return undefined;
  return Math.ceil(found);
}
