import { dayOf } from "./log-facts.ts";
import type { LogInfo } from "./store.ts";

/** How long content is kept unless a profile says otherwise ([A] § Storage policy); 0 keeps it for good. */
export const TTL_DAYS_DEFAULT = 30;
/** How long before, the user is told. */
export const WARNING_DAYS = 7;
/** More than this is for good. */
const TTL_DAYS_MAX = 36_500;
const DAY_MS = 86_400_000;

export interface RetentionPlan {
  readonly expire: readonly Expiry[];
  /** Logs that lose content within the next days, the next first, with the day from which on. */
  readonly soon: readonly { readonly log: LogInfo; readonly day: string }[];
  /** Logs with old content that is not touched, and why. */
  readonly left: readonly { readonly log: LogInfo; readonly why: LeftWhy }[];
}

export interface Expiry {
  readonly log: LogInfo;
  /** What was written before this day goes. */
  readonly beforeDay: string;
}

export type LeftWhy =
  | "pinned"
  /** A living process writes it. */
  | "held"
  /** It bears a date in the future: the clock was set back, and what is old is not known. */
  | "future"
  /** Nobody knows how long its profile wants to keep it. */
  | "profile unknown";

/**
 * What of these logs expires now, and what soon (SES-06). Days are those of UTC. What is pinned, held or dated in the
 * future is left alone, and so is whatever a profile that is not known any more asked to be kept (R29).
 */
export function planRetention(
  logs: readonly LogInfo[],
  ttlDaysOf: (profile: string) => number | undefined,
  now: number,
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
      expire.push({ log, beforeDay });
      continue;
    }
    const day = dayBefore(Date.parse(oldestDay), -ttlDays - 1);
    if (day <= dayBefore(now, -WARNING_DAYS)) soon.push({ log, day });
  }
  soon.sort((a, b) => (a.day < b.day ? -1 : 1));
  return { expire, soon, left };
}

/** The day some days before a moment; what was written earlier is older than that. */
export function dayBefore(now: number, days: number): string {
  return dayOf(new Date(now - days * DAY_MS).toISOString());
}

function whyLeft(log: LogInfo, now: number): LeftWhy | undefined {
  if (log.pinned) return "pinned";
  if (log.heldBy !== undefined) return "held";
  const newest = Math.max(Date.parse(log.updatedAt), Date.parse(log.createdAt));
  if (!(newest <= now + DAY_MS)) return "future";
  return undefined;
}
