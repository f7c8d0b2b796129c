import { relativeWithin } from "../../../base/files/below.ts";
import type { CallPlan, PathUse, Tool } from "../../../tools/tool.ts";
import { readsFiles } from "../../../tools/tool-facts.ts";
import type { WorkspacePaths } from "../rules/workspace-paths.ts";
import { pathsOfUse, readableFolders } from "../rules/workspace-paths.ts";
import type { CommandFacts } from "./command-facts.ts";
import { mayHoldCredentials } from "./sensitive.ts";

/** Facts about a tool that the preset for read-only calls uses. */
export type AutoAllowedTool = Pick<Tool, "effect" | "autoAllowed">;

/**
 * Returns true if a call needs no question because it is known to only read what the agent may read (PERM-04). Such
 * calls count as ReadOnly. For commands, `commands/table.ts` is the closed list.
 */
export function isAutoAllowedCall(
  plan: CallPlan,
  tool: AutoAllowedTool,
  workspace: WorkspacePaths,
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
      return tool.autoAllowed === "known-reads" && facts !== undefined && facts.approvalReason === undefined;
    case "paths":
      return target.paths.length > 0 && target.paths.every((use) => isAutoAllowedPath(use, tool, workspace));
  }
}

/**
 * Returns true if one path of a call needs no question: it is read, in the workspace or in the tools' scratch folder.
 */
export function isAutoAllowedPath(use: PathUse, tool: AutoAllowedTool, workspace: WorkspacePaths): boolean {
  if (tool.autoAllowed !== "known-reads" || !readsFiles(tool.effect) || use.access !== "read") return false;
  return pathConcern(use, workspace) === undefined;
}

/**
 * Returns why a path of a call deserves a question, whatever is done with it: a phrase for the person. Undefined for an
 * ordinary file of the workspace.
 */
export function pathConcern(use: PathUse, workspace: WorkspacePaths): string | undefined {
  if (use.linked !== undefined) return `${use.path} is another name of ${use.linked}`;
  if (pathsOfUse(use).some(mayHoldCredentials)) return `${use.path} may hold a key or password`;
  const isInside = readableFolders(workspace).some(
    (directory) => relativeWithin(directory, use.path) !== undefined,
  );
  return isInside ? undefined : `${use.path} lies outside the workspace`;
}
