import type { ResultOfCommand } from "../../../protocol/commands/results.ts";
import type { FileCounts } from "../../../view/texts/rewind-text.ts";
import type { RewindPreview } from "../checkpoints.ts";
import { PATHS_LISTED_MAX } from "../checkpoints.ts";
import { displayPath } from "../tracking/paths.ts";
import type { RewindStep, SkippedPath } from "./rewind-plan.ts";

/** The effect of a rewind, planned or done. Lists of paths are cut, and counted in full. */
export type RewindReport = ResultOfCommand<"RewindSession">;
export type ConversationReport = NonNullable<RewindReport["conversation"]>;
export type FilesReport = NonNullable<RewindReport["files"]> & { readonly counts: FileCounts };

export function conversationReport(before: number, messages: number): ConversationReport {
  const restored = messages - before;
  return { messages, removed: Math.max(0, -restored), ...(restored > 0 ? { restored } : {}) };
}

export function filesReport({ steps, contested, foreign, notRestorable }: RewindPreview): FilesReport {
  const remove = steps.filter(({ to }) => to === undefined);
  return {
    create: listedPaths(steps.filter(({ from, to }) => from === undefined && to !== undefined)),
    change: listedPaths(
      steps.filter((step) => step.from !== undefined && step.to !== undefined && !isModeOnly(step)),
    ),
    mode: listedPaths(steps.filter(isModeOnly)),
    remove: listedPaths(remove),
    contested: listedPaths(contested),
    foreign: listedPaths(foreign),
    notRestorable: listedSkips(notRestorable),
    counts: { restore: steps.length - remove.length, remove: remove.length },
  };
}

function isModeOnly({ from, to }: RewindStep): boolean {
  if (from?.kind === "directory") return to?.kind === "directory";
  if (from?.kind !== "file" || to?.kind !== "file") return false;
  return JSON.stringify(from.content) === JSON.stringify(to.content);
}

export function listedPaths(steps: readonly RewindStep[]): readonly string[] {
  const listed = steps.slice(0, PATHS_LISTED_MAX).map(({ path }) => displayPath(path));
  const rest = steps.length - listed.length;
  return rest === 0 ? listed : [...listed, `and ${rest} more`];
}

export function listedSkips(paths: readonly SkippedPath[]): readonly SkippedPath[] {
  const listed = paths.slice(0, PATHS_LISTED_MAX).map(({ path, why }) => ({ path: displayPath(path), why }));
  const rest = paths.length - listed.length;
  return rest === 0 ? listed : [...listed, { path: `and ${rest} more`, why: "not listed" }];
}
