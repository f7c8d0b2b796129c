/** Minimum of significant digits of an amount other than zero. */
const DIGITS_THAT_COUNT = 2;
/** The most that JavaScript renders; a smaller amount is no money. */
const DIGITS_MAX = 100;

/**
 * Renders US dollars without the sign, with `digits` after the point: "0.2500". A small amount gets more digits to
 * keep two significant ones, so that it never reads as zero: "0.0000012".
 */
export function printUsd(usd: number, digits = 4): string {
  return usd.toFixed(usdDigits(usd, digits));
}

/** Returns the digits after the point that keep the first two significant ones, at least `digits`. */
function usdDigits(usd: number, digits: number): number {
  if (usd === 0) return digits;
  const needed = DIGITS_THAT_COUNT - 1 - Math.floor(Math.log10(Math.abs(usd)));
  return Math.min(DIGITS_MAX, Math.max(digits, needed));
}
