import { relative } from "node:path";
import { count, shortened } from "../../base/text/text.ts";

/** A problem that a language server or checker reports in a file. Its text is foreign. */
export interface Problem {
  /** Absolute. */
  readonly path: string;
  /** Counts from 1. */
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  /** "2322", "no-unused-vars"; absent if it has none. */
  readonly code?: string;
  readonly message: string;
}

export const PROBLEMS_MAX = 20;
const MESSAGE_CHARACTERS_MAX = 300;

/** Renders the problems of one source for the model: their count, and the first ones, errors before warnings. */
export function problemsReport(source: string, problems: readonly Problem[], root: string): string {
  if (problems.length === 0) return `[${source}: no problems]`;
  const errors = problems.filter(({ severity }) => severity === "error");
  const warnings = problems.filter(({ severity }) => severity === "warning");
  const shown = [...errors, ...warnings].slice(0, PROBLEMS_MAX);
  const rest = problems.length - shown.length;
  return [
    `[${source}: ${count(errors.length, "error")}, ${count(warnings.length, "warning")}]`,
    ...shown.map((problem) => line(problem, root)),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join("\n");
}

function line({ path, line: at, column, severity, code, message }: Problem, root: string): string {
  const words = shortened(message.replaceAll(/\s+/g, " ").trim(), MESSAGE_CHARACTERS_MAX);
  return `${relative(root, path)}:${at}:${column}: ${severity}${code === undefined ? "" : ` ${code}`}: ${words}`;
}
