import { defined } from "../../../base/defined.ts";
import type { ChangedBy, RecordHeader, StoredRecord } from "../store/checkpoint-store.ts";
import { entriesAfter } from "../store/entries.ts";
import type { Entry } from "../store/entry.ts";
import { sameEntry } from "../store/entry.ts";
import { foldersAbove } from "../tracking/paths.ts";

/** A position in the log to which files can be restored. */
export interface Boundary {
  /** Event number: what was recorded before it stays. 0: the beginning. */
  readonly at: number;
  /** Set for the start of a turn: what was found right before its first change stays too. */
  readonly startOf?: number;
}

/** The effect of a rewind on one path. */
export interface RewindStep {
  readonly path: string;
  readonly from?: Entry;
  readonly to?: Entry;
}

export interface SkippedPath {
  readonly path: string;
  readonly why: string;
}

/**
 * The effect of a rewind. The two sets of files that somebody else changed are left alone unless a person
 * decides otherwise.
 */
export interface RewindPlan {
  readonly steps: readonly RewindStep[];
  /** Changed by calls and by somebody else; or in a turn that was cut off, when the author is unknown. */
  readonly contested: readonly RewindStep[];
  /** Changed since then by somebody else alone. */
  readonly foreign: readonly RewindStep[];
  readonly notRestorable: readonly SkippedPath[];
}

export const FOREIGN_SETS = ["contested", "foreign"] as const;
export type ForeignSet = (typeof FOREIGN_SETS)[number];

/** Compares the current state with that at a boundary. */
export function planRewind(
  records: readonly StoredRecord[],
  current: ReadonlyMap<string, Entry>,
  boundary: Boundary,
): RewindPlan {
  const stays = records.filter((record) => isBeforeBoundary(record, boundary));
  const undone = records.filter((record) => !isBeforeBoundary(record, boundary));
  const target = entriesAfter(stays);
  const touched = new Map<string, ChangedBy>();
  for (const { changes } of undone) {
    for (const [path, by] of changes) {
      const other = touched.get(path);
      touched.set(path, other === undefined || other === by ? by : "both");
    }
  }
  const plan = { steps: [], contested: [], foreign: [], notRestorable: [] } as {
    [Key in keyof RewindPlan]: RewindPlan[Key][number][];
  };
  for (const [path, by] of [...touched].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [from, to] = [current.get(path), target.get(path)];
    if (sameEntry(from, to)) continue;
    const why = unreached(from, to);
    const step = { path, ...defined({ from, to }) };
    if (why !== undefined) plan.notRestorable.push({ path, why });
    else if (by === "calls") plan.steps.push(step);
    else if (by === "both" || by === "unknown") plan.contested.push(step);
    else plan.foreign.push(step);
  }
  return withoutKeptFolders(plan);
}

/** Keeps a folder that calls made if something in it stays: the folder then belongs to that set. */
function withoutKeptFolders(plan: RewindPlan): RewindPlan {
  const [aboveContested, aboveForeign] = [heldBy(plan.contested), heldBy(plan.foreign)];
  const goes = plan.steps.filter(({ from, to }) => from?.kind === "directory" && to?.kind !== "directory");
  const contested = goes.filter(({ path }) => aboveContested.has(path));
  const foreign = goes.filter(({ path }) => !aboveContested.has(path) && aboveForeign.has(path));
  const skippedSteps = new Set([...contested, ...foreign]);
  return {
    ...plan,
    steps: plan.steps.filter((step) => !skippedSteps.has(step)),
    contested: [...plan.contested, ...contested],
    foreign: [...plan.foreign, ...foreign],
  };
}

/** Returns the folders above existing files of some steps. */
function heldBy(steps: readonly RewindStep[]): ReadonlySet<string> {
  return new Set(steps.flatMap(({ path, from }) => (from === undefined ? [] : foldersAbove(path))));
}

/** Returns true if a record's state was current at a boundary. */
export function isBeforeBoundary({ kind, turn, at }: RecordHeader, boundary: Boundary): boolean {
  if (kind === "base" || at < boundary.at) return true;
  return kind === "before" && turn === boundary.startOf;
}

function unreached(from: Entry | undefined, to: Entry | undefined): string | undefined {
  if (to?.kind === "other") return to.why;
  if (to?.kind === "file" && to.content.kind === "missing") return to.content.why;
  if (from?.kind === "other") return `${from.why}, which is there now`;
  return undefined;
}
