import { describe, expect, test } from "bun:test";
import { builtinTools } from "../src/app/session/chains/builtins.ts";
import { TurnEndReason } from "../src/protocol/events/events.ts";
import { STREAM_LIMITS } from "../src/providers/http/stream-limits.ts";
import { RETRY_LIMITS } from "../src/providers/retry/retry.ts";
import { BackgroundRuns } from "../src/tools/bash/background-runs.ts";
import { readSource } from "./support/source.ts";

const LOOP = "docs/agent-loop.md";
const TOOLS = "docs/tools.md";
/** Factor between a unit of the documents and that of the constant. A row without a unit is a count. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["characters", 1],
  ["ms", 1],
  ["s", 1_000],
  ["KiB", 1_024],
  ["MiB", 1_048_576],
  ["GiB", 1_073_741_824],
]);

describe("[DOC-01] the numbers in the documents are those of the code", () => {
  test.each([LOOP, TOOLS, "docs/skills.md", "docs/agents.md", "docs/permissions.md"])(
    "every limit that %s names",
    (page) => {
      const rows = limitRows(readSource(page));
      expect(rows.length).toBeGreaterThan(6);
      for (const { row, documented, file, name } of rows)
        expect(`${row} ${documented}`).toBe(`${row} ${constant(file, name)}`);
    },
  );

  test("a unit that the test does not know is an error that names it", () => {
    const row = (amount: string) => `| a file | ${amount} | \`tools/files/read.ts\` \`BYTES_MAX\` |\n`;
    expect(limitRows(row("1 GiB")).map(({ documented }) => documented)).toEqual([1_073_741_824]);
    expect(limitRows(row("5 s more")).map(({ documented }) => documented)).toEqual([5_000]);
    expect(() => limitRows(row("3 weeks"))).toThrow(
      'unknown unit "weeks" in "| a file | 3 weeks |": use one of characters, ms, s, KiB, MiB, GiB, or add it to UNITS',
    );
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

interface LimitRow {
  readonly row: string;
  readonly documented: number;
  /** Below `src/`. */
  readonly file: string;
  readonly name: string;
}

/**
 * Reads the rows `| what | 64 KiB | \`file\` \`CONSTANT\` |` of a page.
 * @throws Error for a unit that is not in UNITS.
 */
function limitRows(page: string): readonly LimitRow[] {
  const rows = page.matchAll(/^\|[^|]*\| ([\d,]+)(?: (\w+))?[^|]*\| `([\w/.-]+)` `(\w+)` \|$/gm);
  return [...rows].map(([row, digits = "", unit = "", file = "", name = ""]) => {
    const factor = UNITS.get(unit);
    if (factor === undefined) {
      const known = [...UNITS.keys()].filter((each) => each !== "").join(", ");
      const cells = row.slice(0, row.indexOf("`")).trimEnd();
      throw new Error(`unknown unit "${unit}" in "${cells}": use one of ${known}, or add it to UNITS`);
    }
    return { row, documented: Number(digits.replaceAll(",", "")) * factor, file, name };
  });
}

/** Returns the value of a numeric constant in a source. */
function constant(file: string, name: string): number {
  const value = new RegExp(`const ${name} = ([\\d_ *]+);`).exec(readSource(`src/${file}`))?.[1];
  if (value === undefined) throw new Error(`src/${file} has no number ${name}`);
  return value.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}
