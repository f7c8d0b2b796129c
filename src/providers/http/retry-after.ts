/**
 * Returns the wait that a provider asks for, in milliseconds: `retry-after-ms`, or `Retry-After` as seconds or a date.
 *
 * Undefined if neither is present or readable; never negative.
 */
export function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  return milliseconds(headers.get("retry-after-ms")) ?? retryAfter(headers.get("retry-after"), nowMs);
}

const DECIMAL = /^\d+(?:\.\d+)?$/;

function milliseconds(text: string | null): number | undefined {
  return text !== null && DECIMAL.test(text.trim()) ? bounded(Number(text)) : undefined;
}

function retryAfter(text: string | null, nowMs: number): number | undefined {
  if (text === null) return undefined;
  if (DECIMAL.test(text.trim())) return bounded(Number(text) * 1_000);
  // An HTTP date names its weekday or month; `Date.parse` alone would also take "-5" and "2 potatoes 2020".
  const date = /^[a-z]{3,9},? .*gmt$/i.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - nowMs, 0);
}

/** A number of four hundred digits is infinite. */
function bounded(ms: number): number {
  return Math.min(Math.ceil(ms), Number.MAX_SAFE_INTEGER);
}
