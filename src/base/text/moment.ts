const MOMENT =
  /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/;

/** Times that `momentText` can write: of four digits of a year, so that the texts are in the order of the times. */
const MS_MIN = Date.parse("0000-01-01T00:00:00.000Z");
const MS_MAX = Date.parse("9999-12-31T23:59:59.999Z");

/** The last time that `momentText` can write. */
export const LAST_MOMENT = new Date(MS_MAX).toISOString();

/** A day, which begins at `ms`, or a time. */
export interface Moment {
  readonly ms: number;
  readonly isDay: boolean;
}

/** Reads a day of UTC, or a time with its zone, of the calendar; undefined for anything else, such as a 30 February. */
export function readMoment(text: string): Moment | undefined {
  const [, day = "", hours] = MOMENT.exec(text) ?? [];
  const dayMs = Date.parse(day);
  if (Number.isNaN(dayMs) || new Date(dayMs).toISOString().slice(0, day.length) !== day) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : { ms, isDay: hours === undefined };
}

/**
 * Writes a time as events have it. A time before the year 0 becomes the first that is compared right as text; one
 * after the year 9999 has none: undefined.
 */
export function momentText(ms: number): string | undefined {
  return ms > MS_MAX ? undefined : new Date(Math.max(ms, MS_MIN)).toISOString();
}
