import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Verdict } from "./report.ts";
import { shortTable, table } from "./report.ts";

/** One whole run: what docs/performance shows is always all of one, so that no page mixes figures of two days. */
export interface BenchRun {
  /** Date of the run, as 2026-01-31. */
  readonly day: string;
  /** The commit that was measured; empty outside of a clone. */
  readonly commit: string;
  readonly machine: string;
  /** Mean number of runnable processes in the minute before the run. */
  readonly load: number;
  readonly sections: readonly BenchSection[];
}

export interface BenchSection {
  readonly title: string;
  readonly verdicts: readonly Verdict[];
}

/** Rows of the short table, with the words that stand there. */
const SHORT: Readonly<Record<string, string>> = {
  "`--version`, start to end, beside a Bun hello": "`--version`, start to end",
  "start to first request, no key": "start to first request",
  "start to first request, a key is used": "the same with a provider key",
  "start to first request, through a running engine": "the same through a running engine",
  "Read, rounds 2–20: median": "one of the first rounds that read a file",
  "Bash, rounds 2–20, sandbox: median": "one of the first rounds that run a command in the sandbox",
  "memory of the process tree (PSS) after 20 rounds": "memory after 20 rounds",
  "tokens (bytes/4) of system prompt and tool schemas in the first request":
    "tokens of system prompt and tools in the first request",
  "memory of each further session": "each further session of an engine",
  "event to client, WebSocket: median, at 200 deltas/s":
    "an event from the engine to a client, over WebSocket",
  "log: intent and outcome of a call, both safe from loss of power":
    "an intent and an outcome in the log, safe from loss of power",
  "checkpoint: first look at 20,000 files": "first inspection of 20,000 files for `/rewind`",
  "asked of 100 commands, all, in the sandbox": "questions for 100 real commands, in the sandbox",
  "asked of 100 commands, all, no sandbox": "the same without a sandbox",
};

/** Names of the rows that the short table shows, in its order. */
export const SHORT_ROWS: readonly string[] = Object.keys(SHORT);

const [BEGIN, END] = ["<!-- short table: npm run bench -- --write -->", "<!-- end of the short table -->"];

/**
 * Writes `docs/performance/figures.md` and the short table of `docs/performance.md`.
 * @throws Error if the run has no row that the short table shows, or the page has no place for it.
 */
export function writeFigures(root: string, run: BenchRun): void {
  writeFileSync(join(root, "docs/performance/figures.md"), figuresPage(run));
  const path = join(root, "docs/performance.md");
  writeFileSync(path, withShortTable(readFileSync(path, "utf8"), run));
}

/** Returns the page of all figures. */
export function figuresPage({ day, commit, machine, load, sections }: BenchRun): string {
  const of = commit === "" ? "" : ` of ${commit}`;
  const all = sections.flatMap(({ verdicts }) => verdicts);
  const aimed = all.filter(({ met }) => met !== undefined);
  const missed = aimed.filter(({ met }) => met === false);
  return [
    "# Figures of performance",
    "",
    `One whole run of \`npm run bench -- --write\`${of} on ${day}: ${machine}. The load before it was ${load.toFixed(2)}.`,
    "",
    `${aimed.length - missed.length} of ${aimed.length} aims are met. [Why the others are missed](limits.md). In short:`,
    "[performance](../performance.md). How it is done: [method](method.md).",
    ...sections.flatMap(({ title, verdicts }) => ["", `## ${title}`, "", table(verdicts).trimEnd()]),
    "",
  ].join("\n");
}

/**
 * Returns the page with the short table of a run in its place.
 * @throws Error if a row or the place is missing.
 */
export function withShortTable(page: string, { day, machine, sections }: BenchRun): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`docs/performance.md has no '${BEGIN}'`);
  const all = sections.flatMap(({ verdicts }) => verdicts);
  const rows = Object.entries(SHORT).map(([what, words]) => {
    const found = all.find((verdict) => verdict.what === what);
    if (found === undefined) throw new Error(`the run has no row '${what}', which the short table shows`);
    return { ...found, what: words };
  });
  const text = `From one run on ${day}: ${machine}. Figures of another machine differ, ratios less so.`;
  return `${before}${BEGIN}\n${text}\n\n${shortTable(rows)}${END}${after}`;
}
