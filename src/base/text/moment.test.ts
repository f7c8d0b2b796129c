import { expect, test } from "bun:test";
import { momentText, readMoment } from "./moment.ts";

test("[CTL-19] a day or a time is read if the calendar has it, and written so that texts are in the order of times", () => {
  expect(readMoment("2026-02-28")).toEqual({ ms: Date.UTC(2026, 1, 28), isDay: true });
  expect(readMoment("2024-02-29T10:00:00.123456789+02:00")).toEqual({
    ms: Date.UTC(2024, 1, 29, 8, 0, 0, 123),
    isDay: false,
  });
  const none = ["2026-02-30", "2026-13-01", "2026-00-10", "Dec 1", "2026", "", "2026-01-01T25:00:00Z", "1"];
  for (const bad of [
    ...none,
    "2026-01-01T10:00:00",
    "2026-02-30T10:00:00Z",
    "+010000-01-01",
    "2026-01-01T10:00:00+29:00",
  ])
    expect([bad, readMoment(bad)]).toEqual([bad, undefined]);
  expect(momentText(Date.UTC(9999, 11, 31) + 86_400_000)).toBeUndefined();
  expect(momentText(Date.parse("0000-01-01T00:00:00+10:00"))).toBe("0000-01-01T00:00:00.000Z");
});
