import { expect, test } from "bun:test";
import { showsDeltas } from "./shows-deltas.ts";

test.each([
  ["text", false, false, false],
  ["json", false, false, false],
  ["stream-json", false, false, true],
  ["text", true, false, true],
  ["json", false, true, true],
])(
  "[PERF-02] %s, terminal %p, --log-to-stderr %p: deltas are shown before the end: %p",
  (format, isTerminal, logToStderr, shown) => {
    expect(showsDeltas(format, { logToStderr }, { isTerminal })).toBe(shown);
  },
);
