import { posix } from "node:path";
import { analyse } from "../../src/shell/analyse.ts";
import type { Analysis, ShellCommand } from "../../src/shell/analysis.ts";
import { literalOf } from "../../src/shell/analysis.ts";
import type { ShellCase } from "./cases.ts";
import { traceAll } from "./traced-bash.ts";

/** A command line that bash read in another way than it was read here, in the dangerous direction. */
export interface Disagreement {
  readonly command: string;
  readonly from: string;
  readonly what: string;
}

/** Nothing that bash builds in is a program, and what these start is traced by itself. */
const STARTERS = new Set([
  "bash",
  "sh",
  "env",
  "timeout",
  "nice",
  "nohup",
  "setsid",
  "stdbuf",
  "xargs",
  "busybox",
]);

/**
 * Compares what was read with what bash does: a program that was started and is not among the commands that were
 * found, where the reading was sure of itself. Deny rules go by that. What goes unasked is tried in `test/quiet`.
 */
export async function disagreements(cases: readonly ShellCase[]): Promise<readonly Disagreement[]> {
  const names = namesIn(cases);
  const first = await suspects(cases, names);
  // What a case left running may have written into the log of another: only what happens alone counts.
  const again: Disagreement[] = [];
  for (const { command, from } of first) again.push(...(await suspects([{ command, from }], names)));
  return again;
}

async function suspects(
  cases: readonly ShellCase[],
  names: readonly string[],
): Promise<readonly Disagreement[]> {
  const traces = await traceAll(
    cases.map(({ command }) => command),
    names,
  );
  return cases.flatMap(({ command, from }, at) => {
    const analysis = analyse(command);
    const trace = traces[at];
    if (trace === undefined) return [{ command, from, what: "it was not traced" }];
    const hidden = trace.started.find((argv) => !isListed(argv, analysis));
    return hidden === undefined ? [] : [{ command, from, what: `it started ${JSON.stringify(hidden)}` }];
  });
}

function isListed(argv: readonly string[], { commands, unsure, overLimit }: Analysis): boolean {
  if (overLimit !== undefined || unsure.length > 0) return true; // never allowed
  return commands.some((command) => couldBe(command, argv));
}

function couldBe(
  { name, args, wrappedBy }: ShellCommand,
  [program = "", ...given]: readonly string[],
): boolean {
  const literal = literalOf(name);
  if (literal === undefined) return name !== undefined; // its name is told to be unknown: never allowed
  if (posix.basename(literal) !== program) return false;
  const words = args.map(literalOf);
  if (wrappedBy === "xargs" || wrappedBy === "find") return true;
  if (words.includes(undefined)) return true;
  return words.length === given.length && words.every((word, at) => word === given[at]);
}

function namesIn(cases: readonly ShellCase[]): readonly string[] {
  const names = new Set(["rm", "touch", "curl", "cat", "ls", "sleep"]);
  for (const { from } of cases) {
    for (const { name } of analyse(from).commands) {
      const literal = literalOf(name);
      if (literal !== undefined && !STARTERS.has(literal)) names.add(posix.basename(literal));
    }
    // Whatever looks like a program in the text is one here, so that what was not found can show itself.
    for (const [word] of from.matchAll(/[A-Za-z][\w.-]*/g)) if (!STARTERS.has(word)) names.add(word);
  }
  return [...names].filter((name) => name.length < 100);
}
