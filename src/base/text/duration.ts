const MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,6})(s|m|h|d)$/;

/** Parses a duration ("90s", "30m", "12h", "2d") to milliseconds; NaN for anything else. */
export function durationMs(text: string): number {
  const [, count, unit = ""] = DURATION.exec(text) ?? [];
  return Number(count) * (MS[unit] ?? Number.NaN);
}

/** Renders milliseconds in the largest unit without a fraction, and in seconds below one. */
export function durationText(ms: number): string {
  for (const unit of ["h", "m", "s"]) {
    const each = MS[unit] ?? 1;
    if (ms >= each && ms % each === 0) return `${ms / each}${unit}`;
  }
  return `${(ms / 1_000).toFixed(1)}s`;
}
