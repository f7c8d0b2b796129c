import { describe, expect, test } from "bun:test";
import { builtinTools } from "../src/app/session/chains/builtins.ts";
import { TurnEndReason } from "../src/protocol/events/events.ts";
import { STREAM_LIMITS } from "../src/providers/http/stream-limits.ts";
import { RETRY_LIMITS } from "../src/providers/retry/retry.ts";
import { BackgroundRuns } from "../src/tools/bash/background-runs.ts";
import { readSource } from "./support/source.ts";

const LOOP = "docs/agent-loop.md";
const TOOLS = "docs/tools.md";
const UNITS: Readonly<Record<string, number>> = { s: 1_000, KiB: 1_024, MiB: 1_048_576 };

describe("[DOC-01] the numbers in the documents are those of the code", () => {
  test.each([LOOP, TOOLS, "docs/skills.md", "docs/agents.md"])("every limit that %s names", (page) => {
    const rows = [
      ...readSource(page).matchAll(/^\|[^|]*\| ([\d,]+)(?: (\w+))?[^|]*\| `([\w/.-]+)` `(\w+)` \|$/gm),
    ];
    expect(rows.length).toBeGreaterThan(6);
    for (const [row, digits = "", unit = "", file = "", name = ""] of rows) {
      const told = Number(digits.replaceAll(",", "")) * (UNITS[unit] ?? 1);
      expect(`${row} ${told}`).toBe(`${row} ${constant(file, name)}`);
    }
  });

  test("the phases of an answer and the retries", () => {
    const text = readSource(LOOP).replaceAll(/\s+/g, " ");
    const { headersMsMax, firstByteMsMax, silenceMsMax, answerMsMax } = STREAM_LIMITS;
    expect(text).toContain(
      `${headersMsMax / 1_000} s until the status line, ${firstByteMsMax / 1_000} s until the first byte, ${silenceMsMax / 1_000} s between two signs of life, ${answerMsMax / 60_000} minutes in all`,
    );
    const { attemptsMax, unansweredMax, retryAfterMsMax } = RETRY_LIMITS;
    expect(text).toContain(
      `at most ${attemptsMax} attempts, ${unansweredMax} where nothing was heard; \`Retry-After\` is obeyed up to ${retryAfterMsMax / 1_000} s`,
    );
  });
});

test("[DOC-01 ENG-02] every reason why a turn ends has its row", () => {
  const rows = [...readSource(LOOP).matchAll(/^\| `(\w+)` \|/gm)].map(([, reason]) => reason);
  expect(rows).toEqual([...TurnEndReason.options]);
});

test("[DOC-01 TOOL-09] the table of built-in tools is what the registry gets, in its order", async () => {
  await using runs = new BackgroundRuns(() => undefined);
  const tools = builtinTools({ runs, ripgrep: () => Promise.resolve("rg") }).tools();
  const builtIn = /^## Built in$(.*?)^## /msu.exec(readSource(TOOLS))?.[1] ?? "";
  const rows = [...builtIn.matchAll(/^\| `(\w+)` \| (\w+) \| (yes|no) \|/gm)].map((row) => row.slice(1));
  expect(rows).toEqual(tools.map(({ name, level, mutating }) => [name, level, mutating ? "yes" : "no"]));
});

/** The value of a numeric constant in a source. */
function constant(file: string, name: string): number {
  const value = new RegExp(`const ${name} = ([\\d_ *]+);`).exec(readSource(`src/${file}`))?.[1];
  if (value === undefined) throw new Error(`src/${file} has no number ${name}`);
  return value.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}
