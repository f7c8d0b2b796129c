import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BenchRun } from "./figures.ts";
import { figuresPage, SHORT_ROWS, withShortTable } from "./figures.ts";
import type { Row } from "./report.ts";
import { judge } from "./report.ts";
import { sampled } from "./statistics.ts";

const rowOf = (what: string, aim?: number): Row => ({
  what,
  unit: "ms",
  cinch: sampled([9]),
  bare: sampled([3]),
  comparison: "ratio",
  ...(aim === undefined ? {} : { aim }),
});
const RUN: BenchRun = {
  day: "2026-01-31",
  commit: "abc1234",
  machine: "a machine",
  load: 0.25,
  sections: [
    { title: "Start", verdicts: SHORT_ROWS.map((what) => judge(rowOf(what))) },
    { title: "Rounds", verdicts: [judge(rowOf("a round", 2)), judge(rowOf("another", 4))] },
  ],
};
const PAGE =
  "before\n<!-- short table: npm run bench -- --write -->\nold\n<!-- end of the short table -->\nafter\n";

test("[PERF-02] the page of figures names day, commit, machine and load of one run, and counts its aims", () => {
  const page = figuresPage(RUN);
  expect(page).toContain("of abc1234 on 2026-01-31: a machine. The load before it was 0.25.");
  expect(page).toContain("1 of 2 aims are met.");
  expect(page).toMatch(/## Start\n\n\|.*\n[\s\S]*## Rounds\n\n\|[\s\S]*\| a round .*3\.00× .*≤ 2× .*NO/);
});

test("[PERF-02] the short table replaces the one of an earlier run, and refuses a run without one of its rows", () => {
  const page = withShortTable(PAGE, RUN);
  expect(page).toStartWith("before\n");
  expect(page).toEndWith("\nafter\n");
  expect(page).not.toContain("old");
  expect(page).toContain("| start to first request | 9 ms | 3.00× of 3 ms |");
  expect(() => withShortTable(PAGE, { ...RUN, sections: [] })).toThrow("has no row");
  expect(() => withShortTable("no place", RUN)).toThrow("docs/performance.md has no");
});

test("[PERF-02] the short table and the page of figures in docs/ are of one run", () => {
  const docs = join(import.meta.dir, "../docs");
  const page = readFileSync(join(docs, "performance/figures.md"), "utf8");
  const [short = ""] = readFileSync(join(docs, "performance.md"), "utf8").split(
    "<!-- end of the short table -->",
  );
  const [, day, machine] = /on (\d{4}-\d\d-\d\d): (.*?)\. The load/.exec(page) ?? [];
  expect(short).toContain(`From one run on ${day}: ${machine}.`);
  const medians = (line: string) => line.split("|")[2]?.trim() ?? "";
  const figures = new Map(page.split("\n").map((line) => [line.split("|")[1]?.trim() ?? "", medians(line)]));
  const shown = short.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| what"));
  expect(shown.map(medians)).toEqual(
    SHORT_ROWS.map((what) => figures.get(what)?.replace(/ \(.*\)$/, "") ?? ""),
  );
});
