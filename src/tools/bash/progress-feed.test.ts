import { expect, test } from "bun:test";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { CommandProgress } from "../tool.ts";
import { PROGRESS_CHARACTERS_MAX, ProgressFeed, SILENT_MS_MAX } from "./progress-feed.ts";

function openFeed() {
  const clock = fakeClock();
  const shown: [string, CommandProgress][] = [];
  const feed = new ProgressFeed(clock, (partial, command) => shown.push([partial, command]));
  const push = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    feed.received(bytes);
    feed.push(bytes);
  };
  return { clock, shown, feed, push };
}

test("[CTL-19 TOOL-02] a running command is reported at once, then at most four times a second, with its numbers", async () => {
  const { clock, shown, feed, push } = openFeed();
  feed.begin();
  for (let at = 0; at < 100; at += 1) {
    push("line\n");
    await clock.advance(10);
  }
  feed[Symbol.dispose]();
  expect(shown.map(([, { elapsedMs }]) => elapsedMs)).toEqual([0, 250, 500, 750, 1_000]);
  expect(shown.map(([partial]) => partial).join("")).toBe("line\n".repeat(100));
  expect(shown.at(-1)?.[1]).toEqual({ bytes: 500, lines: 100, elapsedMs: 1_000 });
});

test("[CTL-19] a silent command is reported with its time", async () => {
  const { clock, shown, feed } = openFeed();
  await clock.advance(5_000); // it waits for the record of its call
  feed.begin();
  await clock.advance(SILENT_MS_MAX);
  await clock.advance(SILENT_MS_MAX);
  feed[Symbol.dispose]();
  await clock.advance(SILENT_MS_MAX);
  expect(shown).toEqual([
    ["", { bytes: 0, lines: 0, elapsedMs: SILENT_MS_MAX }],
    ["", { bytes: 0, lines: 0, elapsedMs: 2 * SILENT_MS_MAX }],
  ]);
});

test("[CTL-19 PERF-03] beyond the limit of a call only its last lines and numbers are reported", async () => {
  const { clock, shown, feed, push } = openFeed();
  feed.begin();
  for (let at = 0; at < 40; at += 1) {
    push("x".repeat(5_000)); // no divisor of the limit: it is exact all the same;
    await clock.advance(250);
  }
  feed[Symbol.dispose]();
  const full = shown.filter(([, { tailOnly }]) => tailOnly !== true);
  expect(full.map(([partial]) => partial).join("").length).toBeLessThanOrEqual(PROGRESS_CHARACTERS_MAX);
  expect(shown.at(-1)?.[1]).toMatchObject({ bytes: 40 * 5_000, tailOnly: true });
});
