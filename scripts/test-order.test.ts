import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../test/support/source.ts";
import { readSlow, timings, unlistedText } from "./test-order.ts";

test("the files that take long are there, each listed once, the longest first", () => {
  const slow = readSlow(readFileSync(join(ROOT, "scripts/slow-tests.txt"), "utf8"));
  expect(slow.length).toBeGreaterThan(10);
  expect(slow.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
  expect(new Set(slow.map(({ file }) => file)).size).toBe(slow.length);
  expect(slow).toEqual(slow.toSorted((one, other) => other.seconds - one.seconds));
});

test("every file has its time, and one that is not listed a short one", () => {
  const slow = readSlow("# seconds and file\n12.5 test/slow.test.ts\n3 test/not-run.test.ts\n");
  expect(JSON.parse(timings(["test/slow.test.ts", "test/other.test.ts"], slow))).toEqual({
    version: 1,
    files: { "test/slow.test.ts": 12_500, "test/other.test.ts": 500 },
  });
});

test("a file that took long and is not listed is named", () => {
  const slow = readSlow("30 test/slow.test.ts\n");
  const took = (file: string, seconds: number) => unlistedText(new Map([[file, seconds]]), slow);
  expect(took("test/slow.test.ts", 90)).toBeUndefined();
  expect(took("test/other.test.ts", 3)).toBeUndefined();
  expect(took("test/other.test.ts", 38.2)).toBe(
    "Slow, and not in scripts/slow-tests.txt: 38 test/other.test.ts",
  );
});
