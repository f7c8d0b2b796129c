const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Returns how long ago a time was: "now", "5 min", "3 h", "12 d". A time in the future is "now". */
export function ageText(time: string, nowMs: number): string {
  const ms = nowMs - Date.parse(time);
  if (!(ms >= MINUTE_MS)) return "now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}
