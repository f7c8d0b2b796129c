/** Of an amount that is not nothing, so many digits that count are told at the least. */
const DIGITS_THAT_COUNT = 2;
/** As many as the language writes; what is smaller than that is no money. */
const DIGITS_MAX = 100;

/**
 * US dollars without the sign, with `digits` behind the point: "0.2500". An amount that would lose its second digit that
 * counts has more of them, so that what is not nothing never reads as nothing: "0.0000012".
 */
export function printUsd(usd: number, digits = 4): string {
  return usd.toFixed(usdDigits(usd, digits));
}

/** Digits behind the point with which an amount keeps its first two that count, `digits` at the least. */
function usdDigits(usd: number, digits: number): number {
  if (usd === 0) return digits;
  const needed = DIGITS_THAT_COUNT - 1 - Math.floor(Math.log10(Math.abs(usd)));
  return Math.min(DIGITS_MAX, Math.max(digits, needed));
}
