import { count } from "../../base/text/text.ts";
import type { InputOf } from "../arguments.ts";
import { textOutput } from "../output.ts";
import { escapeControls } from "../paths.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import { parseNameFilter } from "./name-filter.ts";
import type { RipgrepPath } from "./ripgrep.ts";
import { runRipgrep } from "./ripgrep.ts";
import type { SearchTarget } from "./search-target.ts";
import {
  assertUnchanged,
  resolveSearchTarget,
  resultPath,
  searchedPath,
  stripDotSlash,
  visibleFilter,
} from "./search-target.ts";

const FILES_DEFAULT = 200;
const FILES_MAX = 2_000;
const CHARACTERS_MAX = 40_000;
const MAGIC = /[*?[\]{}()!]/;

export const GLOB_FACTS: ToolFacts = {
  name: "Glob",
  packs: ["fs", "search"],
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
  properties: { pattern: { type: "string" }, path: { type: "string" }, limit: { type: "integer" } },
  required: ["pattern"],
} as const;

interface GlobPlan extends CallPlan {
  readonly searched: SearchTarget;
  /** Relative to the searched directory. */
  readonly pattern: string;
  readonly anyDepth: boolean;
  readonly limit: number;
}

/** Lists files by name, the newest first. Respects `.gitignore`; includes hidden files but not `.git` (TOOL-03). */
export function globTool(program: RipgrepPath): Tool<GlobPlan> {
  return {
    ...GLOB_FACTS,
    description: "Finds files by glob, newest first, as .gitignore allows.",
    aliases: { directory: "path", dir: "path", head_limit: "limit" },
    inputSchema: INPUT,
    async plan(input, context) {
      const { pattern, path, limit = FILES_DEFAULT } = input as InputOf<typeof INPUT>;
      const parts = splitGlob(pattern);
      const searched = await resolveSearchTarget(targetPath(path, parts.folder), context);
      return {
        summary: `Glob:${escapeControls(pattern)}`,
        target: searched.target,
        searches: searchedPath(searched),
        searched,
        pattern: parts.rest,
        anyDepth: !pattern.includes("/"),
        limit: Math.min(Math.max(limit, 1), FILES_MAX),
      };
    },
    run: (plan, context) => run(plan, context, program),
  };
}

/**
 * Splits a glob into the literal leading folders and the pattern.
 *
 * The folders become the searched path, so that the gate sees where a pattern leaves the workspace.
 */
export function splitGlob(pattern: string): { readonly folder: string; readonly rest: string } {
  const parts = pattern.split("/");
  const firstMagic = parts.findIndex((part) => MAGIC.test(part));
  const at = firstMagic === -1 ? parts.length - 1 : firstMagic;
  const folder = parts.slice(0, at).join("/");
  return { folder: folder === "" && at > 0 ? "/" : folder, rest: parts.slice(at).join("/") };
}

function targetPath(path: string | undefined, folder: string): string {
  if (path === undefined || path === "") return folder === "" ? "." : folder;
  if (folder === "") return path;
  return folder.startsWith("/") ? folder : `${path}/${folder}`;
}

async function run(plan: GlobPlan, context: ToolContext, program: RipgrepPath): Promise<ToolOutput> {
  const { searched, limit } = plan;
  if (!searched.exists || searched.file !== undefined)
    return textOutput(`No files: ${searched.shown} is not a directory`);
  await assertUnchanged(searched, context);
  const filter = await parseNameFilter(plan.pattern, plan.anyDepth);
  const isShown = visibleFilter(searched, context, "name");
  const found: string[] = [];
  let characters = 0;
  const search = {
    program,
    args: ["--files", "--null", "--sortr=modified", ...filter.args, "--", "./"],
    directory: searched.directory,
    separator: "\0",
  } as const;
  const { cut, unreadable } = await runRipgrep(search, context, (printed) => {
    if (!filter.fits(stripDotSlash(printed)) || !isShown(stripDotSlash(printed))) return true;
    if (found.length === limit || characters > CHARACTERS_MAX) return false;
    const shown = resultPath(stripDotSlash(printed), searched, context.workspace);
    characters += shown.length + 1;
    return found.push(shown) > 0;
  });
  const lines = [
    ...(found.length === 0 ? ["No files"] : found),
    ...(cut
      ? [
          `[More are left out after ${count(found.length, "file")}: narrow the pattern${limit < FILES_MAX ? " or raise limit" : ""}]`,
        ]
      : []),
    ...(unreadable ? ["[Some directories could not be read]"] : []),
  ];
  return textOutput(lines.join("\n"));
}
