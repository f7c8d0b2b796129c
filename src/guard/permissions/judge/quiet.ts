import { below } from "../../../base/files/below.ts";
import type { CallPlan, PathUse, Tool } from "../../../tools/tool.ts";
import { readsFiles } from "../../../tools/tool-facts.ts";
import type { Place } from "../rules/place.ts";
import { bothPaths } from "../rules/place.ts";
import type { CommandFacts } from "./facts.ts";
import { mayHoldCredentials } from "./sensitive.ts";

/** Facts about a tool that the preset for read-only calls uses. */
export type QuietTool = Pick<Tool, "effect" | "autoAllowed">;

/**
 * Returns true if a call needs no question because it is known to only read what the agent may read (PERM-04). Such
 * calls count as ReadOnly. For commands, `commands/table.ts` is the closed list.
 */
export function isQuiet(
  plan: CallPlan,
  tool: QuietTool,
  place: Place,
  facts: CommandFacts | undefined,
): boolean {
  const { target } = plan;
  switch (target.kind) {
    case "none":
      return (
        tool.autoAllowed === "always" || (tool.autoAllowed === "at-its-level" && plan.level === undefined)
      );
    case "url":
      return false;
    case "command":
      return tool.autoAllowed === "known-reads" && facts !== undefined && facts.loud === undefined;
    case "paths":
      return target.paths.length > 0 && target.paths.every((use) => isQuietPath(use, tool, place));
  }
}

/**
 * Returns true if one path of a call needs no question: it is read, in the workspace or in the tools' scratch folder.
 */
export function isQuietPath(use: PathUse, tool: QuietTool, place: Place): boolean {
  if (tool.autoAllowed !== "known-reads" || !readsFiles(tool.effect)) return false;
  if (use.access !== "read" || use.linked !== undefined) return false;
  if (bothPaths(use).some(mayHoldCredentials)) return false;
  const readable = [place.root, place.scratch, ...(place.readable ?? [])];
  return readable.some((directory) => below(directory, use.path) !== undefined);
}
