import { count } from "../../base/text.ts";
import { says } from "../output.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "../tool.ts";
import { GrepLines } from "./grep-lines.ts";
import type { NameFilter } from "./name-filter.ts";
import { nameFilter } from "./name-filter.ts";
import { oneLine } from "./paths.ts";
import type { RipgrepPath, SearchEnd } from "./ripgrep.ts";
import { ripgrep } from "./ripgrep.ts";
import type { SearchPlace } from "./search-place.ts";
import { below, mustExist, operand, searchPlace, shownPath } from "./search-place.ts";

const RESULTS_DEFAULT = 200;
const RESULTS_MAX = 2_000;
const CONTEXT_LINES_MAX = 50;
/** Below the cap of a result block, so that it arrives as it is. */
export const SEARCH_CHARACTERS_MAX = 40_000;
const LINE_BYTES_MAX = 500;

interface GrepPlan extends CallPlan {
  readonly place: SearchPlace;
  readonly pattern: string;
  readonly glob?: string;
  readonly mode: "files" | "content" | "count";
  readonly contextLines: number;
  readonly ignoreCase: boolean;
  readonly limit: number;
}

interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly mode?: GrepPlan["mode"];
  readonly context?: number;
  readonly ignore_case?: boolean;
  readonly limit?: number;
}

/**
 * Searches file contents with ripgrep: its regular expressions, `.gitignore`, hidden files but not `.git` (TOOL-03).
 *
 * Results come in the order of their paths, so that the same search answers the same.
 */
export function grep(program: RipgrepPath): Tool<GrepPlan> {
  return {
    name: "Grep",
    description: "Ripgrep search.",
    inputSchema: {
      type: "object",
      properties: {
        pattern: { type: "string" },
        path: { type: "string" },
        glob: { type: "string" },
        mode: { enum: ["files", "content", "count"] },
        context: { type: "integer" },
        ignore_case: { type: "boolean" },
        limit: { type: "integer" },
      },
      required: ["pattern"],
    },
    mutating: false,
    level: "ReadOnly",
    async plan(input, context) {
      const { pattern, path = ".", glob, mode = "content", ...more } = input as GrepInput;
      const place = await searchPlace(path, context);
      mustExist(place);
      return {
        summary: `Grep:${oneLine(pattern)}`,
        target: place.target,
        place,
        pattern,
        ...(glob === undefined || glob === "" ? {} : { glob }),
        mode,
        contextLines: within(more.context ?? 0, 0, CONTEXT_LINES_MAX),
        ignoreCase: more.ignore_case ?? false,
        limit: within(more.limit ?? RESULTS_DEFAULT, 1, RESULTS_MAX),
      };
    },
    run: (plan, context) => run(plan, context, program),
  };
}

function within(number: number, min: number, max: number): number {
  return Math.min(Math.max(number, min), max);
}

async function run(plan: GrepPlan, context: ToolContext, program: RipgrepPath): Promise<ToolOutput> {
  const { place, mode, limit } = plan;
  // One named file is searched whatever it is called.
  const filter =
    plan.glob === undefined || place.file !== undefined ? undefined : await nameFilter(plan.glob);
  const lines = new GrepLines({
    mode,
    limit,
    charactersMax: SEARCH_CHARACTERS_MAX,
    gaps: plan.contextLines > 0,
    fits: (printed) => filter?.fits(below(printed)) ?? true,
    shown: (printed) => shownPath(below(printed), place, context.workspace),
  });
  const search = {
    program,
    args: argsOf(plan, filter),
    directory: place.directory,
    separator: mode === "files" ? "\0" : "\n",
  } as const;
  const end = await ripgrep(search, context, (record) => lines.take(record));
  return says(render(lines, end, limit));
}

function argsOf(plan: GrepPlan, filter: NameFilter | undefined): readonly string[] {
  const { place, pattern, mode, contextLines, ignoreCase } = plan;
  return [
    "--sort=path",
    "--null",
    "--with-filename",
    ...(ignoreCase ? ["--ignore-case"] : []),
    ...(filter?.args ?? []),
    ...(mode === "files" ? ["--files-with-matches"] : []),
    ...(mode === "count" ? ["--count"] : []),
    ...(mode === "content"
      ? [
          "--line-number",
          "--no-heading",
          `--max-columns=${LINE_BYTES_MAX}`,
          "--max-columns-preview",
          "--no-context-separator",
        ]
      : []),
    ...(mode === "content" && contextLines > 0 ? [`--context=${contextLines}`] : []),
    "--",
    pattern,
    operand(place),
  ];
}

function render(lines: GrepLines, { cut, unreadable }: SearchEnd, limit: number): string {
  const notes = [
    ...(cut
      ? [
          `[More matches are left out after ${count(lines.results, "result")}: narrow the search${limit < RESULTS_MAX ? " or raise limit" : ""}]`,
        ]
      : []),
    ...(unreadable ? ["[Some files could not be read]"] : []),
  ];
  return [lines.text === "" ? "No matches" : lines.text, ...notes].join("\n");
}
