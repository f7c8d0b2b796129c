import { expect, test } from "bun:test";
import { fakeClock } from "../../test/support/fake-clock.ts";
import type { Log, LogLevel } from "../base/log.ts";
import { LOG_LEVELS } from "../base/log.ts";
import { gatheredLog } from "./gathered-log.ts";

function open(least: LogLevel = "info") {
  const clock = fakeClock();
  const written: string[] = [];
  const start = clock.now();
  const sink = (component: string): Log => ({
    for: sink,
    wants: (level) => LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least),
    write: (_level, message, _fields, atMs = 0) =>
      void written.push(`${component}${message} +${atMs - start}`),
  });
  return { clock, written, log: gatheredLog(sink(""), clock) };
}

test("[LOG-01 PERF-01] lines of level info wait a moment, and keep their order and time", async () => {
  const { clock, written, log } = open();
  log.write("info", "one");
  await clock.advance(40);
  log.for("engine.").write("info", "two");
  log.write("debug", "left out");
  expect(written).toEqual([]);
  await clock.advance(60);
  expect(written).toEqual(["one +0", "engine.two +40"]);
});

test("[LOG-01] a warning is written at once, after the lines before it", () => {
  for (const level of ["warn", "error"] as const) {
    const { written, log } = open();
    log.write("info", "one");
    log.for("engine.").write(level, "two");
    expect(written).toEqual(["one +0", "engine.two +0"]);
  }
});

test("[LOG-01] no line waits in a log that includes debug", () => {
  const { written, log } = open("debug");
  log.write("info", "one");
  log.write("debug", "two");
  expect(written).toEqual(["one +0", "two +0"]);
});

test("[LOG-01] what waits is limited, and written before the process exits", () => {
  const { written, log } = open();
  for (let line = 1; line <= 65; line++) log.write("info", String(line));
  expect(written.map((line) => line.split(" ")[0])).toEqual(
    Array.from({ length: 64 }, (_, at) => `${at + 1}`),
  );
  log.flush();
  log.flush();
  expect(written.slice(64)).toEqual(["65 +0"]);
});
