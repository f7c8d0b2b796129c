import { dayOf } from "./log-facts.ts";
import type { LogInfo } from "./store.ts";

/** Days before an expiry from which on the user is warned. */
export const WARNING_DAYS = 7;
/**
 * Days without a write after which a clock is doubted. One that jumped ahead would destroy everything at once; after so
 * long a pause old content is destroyed from the day after the next on.
 */
const CLOCK_GAP_DAYS_MAX = 60;
/** Longer times count as forever. */
const TTL_DAYS_MAX = 36_500;
const DAY_MS = 86_400_000;

export interface RetentionPlan {
  readonly expire: readonly Expiry[];
  /** Logs that lose content within the next days, the next first, with the first day. */
  readonly soon: readonly { readonly log: LogInfo; readonly day: string }[];
  /** Logs with old content that is left alone, and why. */
  readonly left: readonly { readonly log: LogInfo; readonly why: LeftWhy }[];
}

export interface Expiry {
  readonly log: LogInfo;
  /** Content from before this day expires. */
  readonly beforeDay: string;
}

export type LeftWhy =
  | "pinned"
  /** A living process writes it, and all content would go: only old content may. */
  | "held"
  /** It has a date in the future: the clock was set back, and its age is unknown. */
  | "future"
  /** Nothing was written for very long by this clock: it may have jumped ahead. */
  | "clock"
  /** Its profile cannot be read, so its time to live is unknown. */
  | "profile unknown";

/** Time of a clock, and the evidence for it. */
export interface RetentionClock {
  readonly now: number;
  /** `lastDay` of the store before yesterday; "trusted" if a person decides what expires. */
  readonly lastDay: string | undefined | "trusted";
}

/**
 * Lists the content of these logs that expires now or soon (SES-06). Days are those of UTC. Leaves out pinned logs,
 * logs with a date in the future, and logs whose profile cannot be read. Leaves out all logs if the clock may have
 * jumped (R29).
 */
export function planRetention(
  logs: readonly LogInfo[],
  ttlDaysOf: (profile: string) => number | undefined,
  { now, lastDay }: RetentionClock,
): RetentionPlan {
  const expire: Expiry[] = [];
  const soon: { log: LogInfo; day: string }[] = [];
  const left: { log: LogInfo; why: LeftWhy }[] = [];
  for (const log of logs) {
    const { oldestDay } = log;
    const ttlDays = ttlDaysOf(log.profile);
    if (oldestDay === undefined || ttlDays === 0 || (ttlDays ?? 0) > TTL_DAYS_MAX) continue;
    const why = whyLeft(log, now);
    if (why !== undefined || ttlDays === undefined) {
      left.push({ log, why: why ?? "profile unknown" });
      continue;
    }
    const beforeDay = dayBefore(now, ttlDays);
    if (oldestDay < beforeDay) {
      if (isDoubtful(now, lastDay)) left.push({ log, why: "clock" });
      else expire.push({ log, beforeDay });
      continue;
    }
    const day = dayBefore(Date.parse(oldestDay), -ttlDays - 1);
    if (day <= dayBefore(now, -WARNING_DAYS)) soon.push({ log, day });
  }
  soon.sort((a, b) => (a.day < b.day ? -1 : 1));
  return { expire, soon, left };
}

/**
 * Returns the days until content of a log expires, 0 for what is due; undefined if none will.
 * @param ttlDays of its profile; undefined if that is unknown.
 */
export function expiresInDays(
  { oldestDay, pinned }: Pick<LogInfo, "oldestDay" | "pinned">,
  ttlDays: number | undefined,
  now: number,
): number | undefined {
  if (oldestDay === undefined || pinned || ttlDays === undefined) return undefined;
  if (ttlDays === 0 || ttlDays > TTL_DAYS_MAX) return undefined;
  const day = dayBefore(Date.parse(oldestDay), -ttlDays - 1);
  return Math.max(0, Math.round((Date.parse(day) - Date.parse(dayBefore(now, 0))) / DAY_MS));
}

/** Returns the day some days before a moment; earlier content is older than that. */
export function dayBefore(now: number, days: number): string {
  return dayOf(new Date(now - days * DAY_MS).toISOString());
}

/**
 * Returns the day up to which a store is asked for its `lastDay`: writes of today and yesterday prove nothing about
 * a clock.
 */
export function clockEvidenceBefore(now: number): string {
  return dayBefore(now, 1);
}

function isDoubtful(now: number, lastDay: RetentionClock["lastDay"]): boolean {
  if (lastDay === "trusted") return false;
  return lastDay === undefined || lastDay < dayBefore(now, CLOCK_GAP_DAYS_MAX);
}

function whyLeft(log: LogInfo, now: number): LeftWhy | undefined {
  if (log.pinned) return "pinned";
  const newest = Math.max(Date.parse(log.updatedAt), Date.parse(log.createdAt));
  if (!(newest <= now + DAY_MS)) return "future";
  return undefined;
}
