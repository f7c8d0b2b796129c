import { below } from "../../../base/files/below.ts";
import type { CallPlan, PathUse } from "../../../tools/tool.ts";
import type { Place } from "../rules/place.ts";
import { bothPaths } from "../rules/place.ts";
import type { CommandFacts } from "./facts.ts";
import { mayHoldCredentials } from "./sensitive.ts";

/**
 * The quiet preset: calls that are known to only read what the person opened to the agent (PERM-04). They are never
 * asked for, and count as ReadOnly. For commands, `commands/table.ts` is the closed list.
 */
const READING_TOOLS = new Set(["Read", "Glob", "Grep", "Ls"]);
const TOOLS_WITHOUT_TARGET = new Set([
  "TodoWrite",
  "BashTask",
  "MemoryRead",
  "Skill",
  "EnterPlanMode",
  "ExitPlanMode",
  "ToolSearch",
]);
/** What they start is judged call by call. One that needs a level of its own is none of these. */
const TOOLS_THAT_START = new Set(["Agent", "Delegate"]);

/** Tells whether a call needs no question because of what it is. */
export function isQuiet(
  plan: CallPlan,
  tool: string,
  place: Place,
  facts: CommandFacts | undefined,
): boolean {
  const { target } = plan;
  switch (target.kind) {
    case "none":
      return TOOLS_WITHOUT_TARGET.has(tool) || (TOOLS_THAT_START.has(tool) && plan.level === undefined);
    case "url":
      return false;
    case "command":
      return tool === "Bash" && facts !== undefined && facts.loud === undefined;
    case "paths":
      return target.paths.length > 0 && target.paths.every((use) => isQuietPath(use, tool, place));
  }
}

/** Tells whether one path of a call needs no question: reading below the workspace or the tools' own scratch. */
export function isQuietPath(use: PathUse, tool: string, place: Place): boolean {
  if (!READING_TOOLS.has(tool) || use.access !== "read" || use.linked !== undefined) return false;
  if (bothPaths(use).some(mayHoldCredentials)) return false;
  const readable = [place.root, place.scratch, ...(place.readable ?? [])];
  return readable.some((directory) => below(directory, use.path) !== undefined);
}
