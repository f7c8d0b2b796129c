import { defined } from "../../base/defined.ts";
import { sizeText } from "../../base/text/size-text.ts";
import { count } from "../../base/text/text.ts";
import type { InputOf } from "../arguments.ts";
import { textOutput } from "../output.ts";
import { escapeControls } from "../paths.ts";
import type { Aliases, CallPlan, Tool, ToolContext, ToolOutput } from "../tool.ts";
import { ToolFailure } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import { GrepLines } from "./grep-lines.ts";
import type { NameFilter } from "./name-filter.ts";
import { parseNameFilter } from "./name-filter.ts";
import type { RipgrepPath, RipgrepResult } from "./ripgrep.ts";
import { runRipgrep } from "./ripgrep.ts";
import type { SearchTarget } from "./search-target.ts";
import {
  assertExists,
  assertUnchanged,
  resolveSearchTarget,
  resultPath,
  ripgrepOperand,
  savedOutput,
  searchedPath,
  stripDotSlash,
  visibleFilter,
} from "./search-target.ts";

const RESULTS_DEFAULT = 200;
const RESULTS_MAX = 2_000;
const CONTEXT_LINES_MAX = 50;
/** Below the limit of a result block, so that it arrives whole. */
export const SEARCH_CHARACTERS_MAX = 40_000;
const LINE_BYTES_MAX = 500;
/** Larger files are skipped: a sparse file of a terabyte costs no disk and would take all the time (R22). */
const FILE_BYTES_MAX = 1_073_741_824;

/** The same text whether or not files are hidden from the search. */
const NO_MATCHES_SHOWN = "No matches, apart from files that look like keys or that a rule withholds";

export const GREP_FACTS: ToolFacts = {
  name: "Grep",
  packs: ["search"],
  effect: "searches-files",
  subject: "path",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "known-reads",
  output: "own",
  kind: "search",
  inSubAgents: "granted",
};

const INPUT = {
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
} as const;

interface GrepPlan extends CallPlan {
  readonly searched: SearchTarget;
  readonly pattern: string;
  readonly glob?: string;
  readonly mode: "files" | "content" | "count";
  readonly contextLines: number;
  readonly ignoreCase: boolean;
  readonly limit: number;
}

const MODES: ReadonlyMap<unknown, string> = new Map([["files_with_matches", "files"]]);
const ALIASES: Aliases = {
  regex: "pattern",
  query: "pattern",
  include: "glob",
  output_mode: { argument: "mode", read: (value) => MODES.get(value) ?? value },
  head_limit: "limit",
  "-C": "context",
  "-i": "ignore_case",
};

/**
 * Searches file contents with ripgrep. Respects `.gitignore`; includes hidden files but not `.git` (TOOL-03).
 *
 * Results are sorted by path, so that the same search returns the same answer.
 */
export function grepTool(program: RipgrepPath): Tool<GrepPlan> {
  return {
    ...GREP_FACTS,
    description: "Ripgrep search.",
    aliases: ALIASES,
    inputSchema: INPUT,
    async plan(input, context) {
      const { pattern, path = ".", glob, mode = "content", ...more } = input as InputOf<typeof INPUT>;
      const searched = await resolveSearchTarget(path, context);
      assertExists(searched);
      if ((searched.size ?? 0) > FILE_BYTES_MAX) {
        const sizes = `${sizeText(searched.size ?? 0)}, and a search goes through ${sizeText(FILE_BYTES_MAX)} at most`;
        throw new ToolFailure(`${searched.shown} has ${sizes}. Cut it with Bash, or Read a part of it.`);
      }
      return {
        summary: `Grep:${escapeControls(pattern)}`,
        target: searched.target,
        searches: searchedPath(searched),
        searched,
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
  const { searched, mode, limit } = plan;
  await assertUnchanged(searched, context);
  // One named file is searched under any name.
  const filter =
    plan.glob === undefined || searched.file !== undefined ? undefined : await parseNameFilter(plan.glob);
  const isShown = visibleFilter(searched, context, "content");
  const stdin = await savedOutput(searched, context);
  const named = (printed: string) =>
    stdin === undefined ? stripDotSlash(printed) : (searched.file ?? printed);
  const lines = new GrepLines({
    mode,
    limit,
    charactersMax: SEARCH_CHARACTERS_MAX,
    gaps: plan.contextLines > 0,
    fits: (printed) => (filter?.fits(named(printed)) ?? true) && isShown(named(printed)),
    shown: (printed) => resultPath(named(printed), searched, context.workspace),
  });
  const search = {
    program,
    args: [...argsOf(plan, filter), stdin === undefined ? ripgrepOperand(searched) : "-"],
    ...defined({ stdin }),
    directory: searched.directory,
    separator: mode === "files" ? "\0" : "\n",
  } as const;
  const end = await runRipgrep(search, context, (record) => lines.take(record));
  const none =
    searched.file === undefined && context.withholds !== undefined ? NO_MATCHES_SHOWN : "No matches";
  return textOutput(render(lines, end, { limit, none }));
}

function argsOf(plan: GrepPlan, filter: NameFilter | undefined): readonly string[] {
  const { pattern, mode, contextLines, ignoreCase } = plan;
  return [
    "--sort=path",
    "--null",
    "--with-filename",
    `--max-filesize=${FILE_BYTES_MAX}`,
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
  ];
}

interface Wording {
  readonly limit: number;
  readonly none: string;
}

function render(lines: GrepLines, { cut, unreadable }: RipgrepResult, { limit, none }: Wording): string {
  const notes = [
    ...(cut
      ? [
          `[More matches are left out after ${count(lines.results, "result")}: narrow the search${limit < RESULTS_MAX ? " or raise limit" : ""}]`,
        ]
      : []),
    ...(unreadable ? ["[Some files could not be read]"] : []),
  ];
  return [lines.text || none, ...notes].join("\n");
}
