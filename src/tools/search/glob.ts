import { count } from "../../base/text/text.ts";
import type { InputOf } from "../arguments.ts";
import { says } from "../output.ts";
import { oneLine } from "../paths.ts";
import type { CallPlan, Tool, ToolContext, ToolOutput } from "../tool.ts";
import type { ToolFacts } from "../tool-facts.ts";
import { nameFilter } from "./name-filter.ts";
import type { RipgrepPath } from "./ripgrep.ts";
import { ripgrep } from "./ripgrep.ts";
import type { SearchPlace } from "./search-place.ts";
import { below, notWithheld, searchedPath, searchPlace, shownPath, stillThere } from "./search-place.ts";

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
  readonly place: SearchPlace;
  /** Relative to the place. */
  readonly pattern: string;
  readonly anyDepth: boolean;
  readonly limit: number;
}

/** Lists files by name, the newest first. Respects `.gitignore`; includes hidden files but not `.git` (TOOL-03). */
export function glob(program: RipgrepPath): Tool<GlobPlan> {
  return {
    ...GLOB_FACTS,
    description: "Finds files by glob, newest first, as .gitignore allows.",
    aliases: { directory: "path", dir: "path", head_limit: "limit" },
    inputSchema: INPUT,
    async plan(input, context) {
      const { pattern, path, limit = FILES_DEFAULT } = input as InputOf<typeof INPUT>;
      const parts = splitGlob(pattern);
      const place = await searchPlace(placeOf(path, parts.folder), context);
      return {
        summary: `Glob:${oneLine(pattern)}`,
        target: place.target,
        searches: searchedPath(place),
        place,
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

function placeOf(path: string | undefined, folder: string): string {
  if (path === undefined || path === "") return folder === "" ? "." : folder;
  if (folder === "") return path;
  return folder.startsWith("/") ? folder : `${path}/${folder}`;
}

async function run(plan: GlobPlan, context: ToolContext, program: RipgrepPath): Promise<ToolOutput> {
  const { place, limit } = plan;
  if (!place.exists || place.file !== undefined) return says(`No files: ${place.shown} is no directory`);
  await stillThere(place, context);
  const filter = await nameFilter(plan.pattern, plan.anyDepth);
  const isShown = notWithheld(place, context, "name");
  const found: string[] = [];
  let characters = 0;
  const search = {
    program,
    args: ["--files", "--null", "--sortr=modified", ...filter.args, "--", "./"],
    directory: place.directory,
    separator: "\0",
  } as const;
  const { cut, unreadable } = await ripgrep(search, context, (printed) => {
    if (!filter.fits(below(printed)) || !isShown(below(printed))) return true;
    if (found.length === limit || characters > CHARACTERS_MAX) return false;
    const shown = shownPath(below(printed), place, context.workspace);
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
  return says(lines.join("\n"));
}
