import { shownPath } from "../../../base/files/path-text.ts";
import type { FileCounts } from "../../../view/texts/rewind-text.ts";
import type { RewindPreview } from "../checkpoints.ts";
import { PATHS_LISTED_MAX } from "../checkpoints.ts";
import type { RewindStep, SkippedPath } from "./rewind-plan.ts";

/** The effect of a rewind, planned or done, as a client shows it. Lists of paths are cut, and counted in full. */
export interface RewindReport {
  readonly to: number;
  readonly what: "files" | "conversation" | "both";
  /** Name of the boundary: "before turn 3". */
  readonly place: string;
  readonly done: boolean;
  readonly conversation?: ConversationReport;
  readonly files?: FilesReport;
  /** Token of the preview. Sent back with the command, which is rejected if its effect has changed. */
  readonly token?: string;
  /** Event to go back to in order to undo this; absent if there is none yet. */
  readonly undo?: number;
}

export interface ConversationReport {
  /** Count of messages afterwards. */
  readonly messages: number;
  readonly removed: number;
  /** Count of messages that return, if an earlier rewind is undone. */
  readonly restored?: number;
}

export interface FilesReport {
  readonly create: readonly string[];
  readonly change: readonly string[];
  readonly mode: readonly string[];
  readonly remove: readonly string[];
  readonly contested: readonly string[];
  readonly foreign: readonly string[];
  readonly notRestorable: readonly SkippedPath[];
  /** Full counts of what would be restored. */
  readonly counts: FileCounts;
  readonly restored?: number;
  readonly kept?: readonly SkippedPath[];
}

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
  const told = steps.slice(0, PATHS_LISTED_MAX).map(({ path }) => shownPath(path));
  const rest = steps.length - told.length;
  return rest === 0 ? told : [...told, `and ${rest} more`];
}

export function listedSkips(paths: readonly SkippedPath[]): readonly SkippedPath[] {
  const told = paths.slice(0, PATHS_LISTED_MAX).map(({ path, why }) => ({ path: shownPath(path), why }));
  const rest = paths.length - told.length;
  return rest === 0 ? told : [...told, { path: `and ${rest} more`, why: "not listed" }];
}
