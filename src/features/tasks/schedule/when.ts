import { Cron } from "croner";
import { messageOf } from "../../../base/errors.ts";
import { count } from "../../../base/text/text.ts";

/** Time at which something is due: by a cron line in a time zone, at an interval, or once. */
export type When =
  | { readonly kind: "cron"; readonly cron: string; readonly timeZone: string }
  | { readonly kind: "every"; readonly every: string; readonly ms: number }
  | { readonly kind: "at"; readonly at: string; readonly ms: number };

/** Minimum interval: a run takes a model's time, and costs money. */
const EVERY_MS_MIN = 60_000;
const EVERY_MS_MAX = 366 * 86_400_000;
const CRON_FIELDS = 5;
const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LENGTHS = '"15m", "6h" or "1d"';
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(Z|[+-]\d\d:\d\d)?$/;

/** A parsed value, or the problem of an invalid text. */
export type ParsedWhen<Value> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "problem"; readonly problem: string };

/**
 * Parses a cron line of five fields: minute, hour, day of the month, month, day of the week. Hours that a time zone
 * skips in spring run right after the gap; those that it has twice in autumn run once.
 */
export function parseCron(cron: string, timeZone: string): ParsedWhen<When> {
  if (!isTimeZone(timeZone))
    return { kind: "problem", problem: `there is no time zone ${JSON.stringify(timeZone)}` };
  const fields = cron.trim().split(/\s+/).length;
  if (fields !== CRON_FIELDS && !cron.trim().startsWith("@")) {
    const problem = `is not a cron line: it has ${count(fields, "field")}, and takes ${CRON_FIELDS}: minute, hour, day of the month, month, day of the week`;
    return { kind: "problem", problem };
  }
  try {
    if (openCron(cron, timeZone).nextRun(new Date(0)) === null)
      return { kind: "problem", problem: "is never due: no year has such a day" };
  } catch (thrown) {
    return {
      kind: "problem",
      problem: `is not a cron line: ${messageOf(thrown).replace(/^CronPattern: /, "")}`,
    };
  }
  return { kind: "value", value: { kind: "cron", cron, timeZone } };
}

/** Parses "15m", "6h" or "1d": at least a minute. */
export function parseEvery(every: string): ParsedWhen<When> {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(every) ?? [];
  const ms = Number(count) * (UNITS[unit] ?? Number.NaN);
  const problem = Number.isNaN(ms)
    ? `must be a length of time such as ${LENGTHS}`
    : ms < EVERY_MS_MIN
      ? `is less than a minute, and nothing runs more often: write ${LENGTHS}`
      : ms > EVERY_MS_MAX
        ? "is more than 366 days: write a shorter time, or a moment to run it once"
        : undefined;
  if (problem !== undefined) return { kind: "problem", problem };
  return { kind: "value", value: { kind: "every", every, ms } };
}

/** Parses a date and time with its offset from UTC: "2026-03-01T09:00+01:00", or "…Z". */
export function parseAt(at: string): ParsedWhen<When> {
  const [moment, offset] = MOMENT.exec(at) ?? [];
  const ms = moment === undefined ? Number.NaN : Date.parse(at);
  if (Number.isNaN(ms))
    return { kind: "problem", problem: 'must be a moment such as "2026-03-01T09:00+01:00"' };
  if (offset === undefined) {
    const problem = `does not say where that hour counts: write its distance from UTC behind it, such as "${at}+01:00", or "${at}Z"`;
    return { kind: "problem", problem };
  }
  return { kind: "value", value: { kind: "at", at, ms } };
}

/** Returns the first due moment after one, in milliseconds since 1970; undefined if there is none left. */
export function nextDue(when: When, afterMs: number, sinceMs: number): number | undefined {
  switch (when.kind) {
    case "cron":
      return openCron(when.cron, when.timeZone).nextRun(new Date(afterMs))?.getTime();
    case "every":
      return sinceMs + Math.max(1, Math.floor((afterMs - sinceMs) / when.ms) + 1) * when.ms;
    case "at":
      return when.ms > afterMs ? when.ms : undefined;
  }
}

/** Renders it for people. */
export function whenText(when: When): string {
  switch (when.kind) {
    case "cron":
      return `cron ${when.cron} (${when.timeZone})`;
    case "every":
      return `every ${when.every}`;
    case "at":
      return `at ${when.at}`;
  }
}

/** Returns true if the machine knows a zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch (thrown) {
    if (thrown instanceof RangeError) return false;
    throw thrown;
  }
}

function openCron(cron: string, timeZone: string): Cron {
  return new Cron(cron, { timezone: timeZone, mode: "5-part" });
}
