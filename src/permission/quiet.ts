import type { CallPlan, PathUse } from "../tool/tool.ts";
import { plainWords } from "./command.ts";
import type { Place } from "./place.ts";
import { below, bothPaths } from "./place.ts";
import { mayHoldCredentials } from "./sensitive.ts";

/**
 * The quiet preset: calls that are known to only read what the person opened to the agent (PERM-04 in a first form).
 * They are never asked for, and count as ReadOnly.
 *
 * The list of commands is closed and small until there is a shell parser. git is not in it: even `git status` runs
 * what the repository's configuration names (`core.fsmonitor`).
 */
const READING_TOOLS = new Set(["Read", "Glob", "Grep", "Ls"]);
const TOOLS_WITHOUT_TARGET = new Set(["TodoWrite", "BashTask"]);

/** Tells whether a call needs no question because of what it is. */
export function isQuiet(plan: CallPlan, tool: string, place: Place): boolean {
  const { target } = plan;
  switch (target.kind) {
    case "none":
      return TOOLS_WITHOUT_TARGET.has(tool);
    case "url":
      return false;
    case "command":
      return tool === "Bash" && onlyLists(target.command, target.cwd, place);
    case "paths":
      return target.paths.length > 0 && target.paths.every((use) => isQuietPath(use, tool, place));
  }
}

/** Tells whether one path of a call needs no question: reading below the workspace or the tools' own scratch. */
export function isQuietPath(use: PathUse, tool: string, place: Place): boolean {
  if (!READING_TOOLS.has(tool) || use.access !== "read" || bothPaths(use).some(mayHoldCredentials))
    return false;
  return below(place.root, use.path) !== undefined || below(place.scratch, use.path) !== undefined;
}

/**
 * `pwd`, and `ls` of the directory it runs in, which is resolved, with flags that only change what is shown.
 *
 * Not `ls` of a path: whether a link leads from it out of the workspace cannot be seen in the words (S22); Ls looks.
 */
function onlyLists(command: string, cwd: string, place: Place): boolean {
  if (below(place.root, cwd) === undefined) return false;
  const [name, ...rest] = plainWords(command) ?? [];
  if (name === "pwd") return rest.length === 0;
  return name === "ls" && rest.every((word) => /^-[laAhR1]+$/.test(word));
}
