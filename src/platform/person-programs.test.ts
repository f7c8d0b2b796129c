import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decode } from "../base/text/text.ts";
import { feedTo, outputOf } from "./person-programs.ts";

const PLACE = { env: { PATH: "/usr/bin:/bin" } };
const LIMITS = { bytesMax: 1_000, msMax: 60_000 };

function shell(script: string): readonly string[] {
  return ["/bin/sh", "-c", script];
}

test("[TUI-08] the output of a program of the person, unless it is missing, fails or takes too long", async () => {
  const output = async (words: readonly string[], limits = LIMITS) => await outputOf(words, PLACE, limits);
  expect(decode((await output(shell("printf hi"))) ?? new Uint8Array())).toBe("hi");
  expect(await output(shell("printf hi; exit 1"))).toBeUndefined();
  expect(await output(["no-such-program-here"])).toBeUndefined();
  expect(await output(shell("exec cat /dev/zero"))).toBeUndefined();
  expect(await output(shell("exec tail -f /dev/null"), { ...LIMITS, msMax: 50 })).toBeUndefined();
});

test("[TUI-08] a program gets a text as its input, and reports success or failure", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "cinch-programs-")), "text");
  const feed = async (words: readonly string[], msMax = 60_000) =>
    await feedTo(words, "a text\n", { ...PLACE, msMax });
  expect(await feed(["/bin/sh", "-c", `cat > "$0"`, path])).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("a text\n");
  expect(await feed(shell("exit 3"))).toBe(false);
  expect(await feed(["no-such-program-here"])).toBe(false);
  expect(await feed(shell("exec tail -f /dev/null"), 50)).toBe(false);
});
