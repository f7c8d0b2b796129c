import { messageOf } from "../base/errors.ts";
import type { Tree } from "../base/tree.ts";
import { codeOf, PathMoved } from "../base/world.ts";
import type { Entry } from "./entry.ts";
import { fileStat, sameStat } from "./entry.ts";
import type { Repository } from "./git.ts";
import { blobName } from "./git-objects.ts";
import type { RewindStep, Unreached } from "./plan.ts";
import type { CheckpointStore } from "./store.ts";

const STEPS_PER_PAUSE = 8;
/** Folders are made so that they can be filled; their own mode comes last. */
const OWNER_MAY_WRITE = 0o700;

export interface RestoreParts {
  readonly tree: Tree;
  readonly root: string;
  readonly store: CheckpointStore;
  readonly repository: () => Repository | undefined;
}

export interface Restored {
  readonly restored: readonly string[];
  /** Left as they are: something was in the way, or they were changed at this very moment. */
  readonly kept: readonly Unreached[];
  readonly notRestorable: readonly Unreached[];
}

/** Steps whose content can be had, and those where it cannot. */
export async function availableSteps(
  steps: readonly RewindStep[],
  parts: RestoreParts,
  signal: AbortSignal,
): Promise<{ readonly steps: readonly RewindStep[]; readonly notRestorable: readonly Unreached[] }> {
  const available: RewindStep[] = [];
  const notRestorable: Unreached[] = [];
  for (const [index, step] of steps.entries()) {
    const { from, to } = step;
    const needs = to?.kind === "file" && !(from?.kind === "file" && sameBytes(from, to)) ? to : undefined;
    if (needs !== undefined && (await contentOf(needs, parts)) === undefined)
      notRestorable.push({ path: step.path, why: whyGone(step.to) });
    else available.push(step);
    if (index % STEPS_PER_PAUSE === 0) await parts.tree.pause(signal);
  }
  return { steps: available, notRestorable };
}

/**
 * Carries the steps out: what goes first, then folders, then files and links, each replaced in one step, then modes of
 * folders. No link is followed. What fails is told; the rest is done. It can be repeated after it broke off.
 */
export async function restore(
  steps: readonly RewindStep[],
  parts: RestoreParts,
  signal: AbortSignal,
): Promise<Restored> {
  const restored = new Set<string>();
  const kept: Unreached[] = [];
  const notRestorable: Unreached[] = [];
  const failed = new Set<string>();
  let count = 0;
  const attempt = async (step: RewindStep, act: () => void | Promise<void>) => {
    if (failed.has(step.path)) return;
    try {
      await act();
      restored.add(step.path);
    } catch (thrown) {
      failed.add(step.path);
      restored.delete(step.path);
      kept.push({ path: step.path, why: whyLeft(thrown) });
    }
    count += 1;
    if (count % STEPS_PER_PAUSE === 0) await parts.tree.pause(signal);
  };
  const downwards = [...steps].sort((a, b) => (a.path < b.path ? -1 : 1));
  const upwards = downwards.toReversed();
  const at = (path: string) => placeOf(parts.root, path);
  for (const step of downwards) {
    const { path, from } = step;
    if (from?.kind !== "directory" || (from.mode & OWNER_MAY_WRITE) === OWNER_MAY_WRITE) continue;
    await attempt(step, () => {
      assertUnchanged(step, parts);
      parts.tree.setMode(...at(path), from.mode | OWNER_MAY_WRITE);
    });
  }
  for (const step of upwards) {
    if (!goes(step)) continue;
    await attempt(step, () => {
      assertUnchanged(step, parts);
      parts.tree.remove(...at(step.path));
    });
  }
  for (const step of downwards) {
    const { path, from, to } = step;
    if (to?.kind !== "directory" || from?.kind === "directory") continue;
    await attempt(step, () => {
      assertUnchanged(afterGoing(step), parts);
      parts.tree.makeFolder(...at(path), to.mode | OWNER_MAY_WRITE);
    });
  }
  for (const step of downwards) {
    const { path, from, to } = step;
    if (to?.kind === "symlink") {
      await attempt(step, () => {
        assertUnchanged(afterGoing(step), parts);
        parts.tree.put(...at(path), { kind: "symlink", target: to.target });
      });
    }
    if (to?.kind !== "file") continue;
    if (from?.kind === "file" && sameBytes(from, to)) {
      await attempt(step, () => {
        assertUnchanged(step, parts);
        parts.tree.setMode(...at(path), to.stat.mode);
      });
      continue;
    }
    const content = await contentOf(to, parts);
    if (content === undefined) {
      notRestorable.push({ path, why: whyGone(to) });
      continue;
    }
    await attempt(step, () => {
      assertUnchanged(afterGoing(step), parts);
      parts.tree.put(...at(path), { kind: "file", content, mode: to.stat.mode });
    });
  }
  for (const step of upwards) {
    const { path, from, to } = step;
    if (to?.kind !== "directory") continue;
    await attempt(step, () => {
      if (from?.kind === "directory") assertUnchanged(step, parts);
      parts.tree.setMode(...at(path), to.mode);
    });
  }
  return { restored: [...restored], kept, notRestorable };
}

/** Whether what is there must go before something else can come: a file can be replaced by another in one step. */
function goes({ from, to }: RewindStep): boolean {
  if (from === undefined) return false;
  return to === undefined || (from.kind === "directory") !== (to.kind === "directory");
}

/** What is to be there when the new comes: where the old had to go first, nothing. */
function afterGoing(step: RewindStep): RewindStep {
  return goes(step) ? { path: step.path } : step;
}

/** @throws PathMoved where a file is not what it was when the plan was made. */
function assertUnchanged({ path, from }: RewindStep, { tree, root, store }: RestoreParts): void {
  const place = placeOf(root, path);
  const stat = tree.stat(...place);
  if (from === undefined) {
    if (stat !== undefined) throw new PathMoved(path);
    return;
  }
  if (stat === undefined) return;
  const isSame =
    from.kind === "file"
      ? stat.kind === "file" && (sameStat(from.stat, fileStat(stat, true)) || holds(from, place))
      : from.kind === "symlink"
        ? stat.kind === "symlink" && tree.readLink(...place) === from.target
        : from.kind === "directory" &&
          stat.kind === "directory" &&
          (from.mode | OWNER_MAY_WRITE) === (stat.mode | OWNER_MAY_WRITE);
  if (!isSame) throw new PathMoved(path);

  /** Where its times would not show a change, its content is compared. */
  function holds({ stat: known, content }: FileEntry, at: readonly [string, string]): boolean {
    if (known.stamp !== "" || stat?.size !== known.size || stat.mode !== known.mode) return false;
    const bytes = tree.read(...at, known.size + 1);
    if (content.kind === "git") return blobName(bytes) === content.object;
    return store.name(bytes) === (content.kind === "kept" ? content.name : content.print);
  }
}

type FileEntry = Extract<Entry, { kind: "file" }>;

function sameBytes(from: FileEntry, to: FileEntry): boolean {
  if (from.content.kind === "git")
    return to.content.kind === "git" && from.content.object === to.content.object;
  return from.content.kind === "kept" && to.content.kind === "kept" && from.content.name === to.content.name;
}

async function contentOf({ content, stat }: FileEntry, parts: RestoreParts): Promise<Uint8Array | undefined> {
  if (content.kind === "missing") return undefined;
  if (content.kind === "kept") return await parts.store.content(content.name);
  const bytes = await parts.repository()?.objects.blob(content.object);
  return bytes?.length === stat.size ? bytes : undefined;
}

function whyGone(entry: Entry | undefined): string {
  return entry?.kind === "file" && entry.content.kind === "git"
    ? "the repository no longer has its content"
    : "its content is missing or damaged in the checkpoint store";
}

function whyLeft(thrown: unknown): string {
  if (thrown instanceof PathMoved) return "it was changed or replaced at this moment, or a link leads there";
  const code = codeOf(thrown);
  if (code === "ENOTEMPTY" || code === "EEXIST") return "the folder holds other files";
  return messageOf(thrown);
}

/** Paths of files outside of the workspace are absolute. */
export function placeOf(root: string, path: string): readonly [root: string, path: string] {
  return path.startsWith("/") ? ["/", path.slice(1)] : [root, path];
}
