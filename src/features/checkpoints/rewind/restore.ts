import { messageOf } from "../../../base/errors.ts";
import type { Tree } from "../../../base/files/tree.ts";
import { codeOf, PathMoved } from "../../../base/world.ts";
import { blobName } from "../git/git-objects.ts";
import type { GitRepository } from "../git/git-repository.ts";
import type { CheckpointStore } from "../store/checkpoint-store.ts";
import type { Entry } from "../store/entry.ts";
import { fileStat, sameContent, sameStat } from "../store/entry.ts";
import { missingReason, storedContent } from "../store/stored-content.ts";
import { splitRoot } from "../tracking/paths.ts";
import type { RewindStep, SkippedPath } from "./rewind-plan.ts";

const STEPS_PER_PAUSE = 8;
/** Mode in which a folder can be filled; its own mode is set last. */
const OWNER_MAY_WRITE = 0o700;

export interface RestoreDependencies {
  readonly tree: Tree;
  readonly root: string;
  readonly store: CheckpointStore;
  readonly repository: () => GitRepository | undefined;
}

export interface RestoreResult {
  readonly restored: readonly string[];
  /** Left alone: something was in the way, or they changed at this moment. */
  readonly kept: readonly SkippedPath[];
  readonly notRestorable: readonly SkippedPath[];
}

/** Splits steps into those with available content, and the others. */
export async function availableSteps(
  steps: readonly RewindStep[],
  dependencies: RestoreDependencies,
  signal: AbortSignal,
): Promise<{ readonly steps: readonly RewindStep[]; readonly notRestorable: readonly SkippedPath[] }> {
  const available: RewindStep[] = [];
  const notRestorable: SkippedPath[] = [];
  for (const [index, step] of steps.entries()) {
    const { from, to } = step;
    const needs =
      to?.kind === "file" && !(from?.kind === "file" && sameContent(from.content, to.content))
        ? to
        : undefined;
    if (needs !== undefined && (await storedContent(needs, dependencies, signal)) === undefined)
      notRestorable.push({ path: step.path, why: missingReason(step.to) });
    else available.push(step);
    if (index % STEPS_PER_PAUSE === 0) await dependencies.tree.pause(signal);
  }
  return { steps: available, notRestorable };
}

/**
 * Carries out the steps: removals first, then folders, then files and links, each replaced atomically, then modes of
 * folders. Follows no link. Reports failures and continues; can be repeated after an interruption.
 */
export async function restore(
  steps: readonly RewindStep[],
  dependencies: RestoreDependencies,
  signal: AbortSignal,
): Promise<RestoreResult> {
  const run = new Restoring(dependencies, signal);
  const downwards = [...steps].sort((a, b) => (a.path < b.path ? -1 : 1));
  const upwards = downwards.toReversed();
  for (const step of downwards) await run.openFolder(step);
  for (const step of upwards) await run.remove(step);
  for (const step of downwards) await run.makeFolder(step);
  for (const step of downwards) await run.put(step);
  for (const step of upwards) await run.closeFolder(step);
  return run.done;
}

/** Actions of each step per round, with the results: a step that fails once is skipped from then on. */
class Restoring {
  readonly #dependencies: RestoreDependencies;
  readonly #signal: AbortSignal;
  readonly #restored = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #kept: SkippedPath[] = [];
  readonly #notRestorable: SkippedPath[] = [];
  #attempts = 0;

  constructor(dependencies: RestoreDependencies, signal: AbortSignal) {
    this.#dependencies = dependencies;
    this.#signal = signal;
  }

  get done(): RestoreResult {
    return { restored: [...this.#restored], kept: this.#kept, notRestorable: this.#notRestorable };
  }

  /** Makes a folder writable, so that its content can be changed. */
  async openFolder(step: RewindStep): Promise<void> {
    const { from } = step;
    if (from?.kind !== "directory" || (from.mode & OWNER_MAY_WRITE) === OWNER_MAY_WRITE) return;
    await this.#attempt(step, (tree, ...at) => tree.setMode(...at, from.mode | OWNER_MAY_WRITE));
  }

  async remove(step: RewindStep): Promise<void> {
    if (mustBeRemoved(step)) await this.#attempt(step, (tree, ...at) => tree.remove(...at));
  }

  async makeFolder(step: RewindStep): Promise<void> {
    const { from, to } = step;
    if (to?.kind !== "directory" || from?.kind === "directory") return;
    await this.#attempt(afterRemoval(step), (tree, ...at) =>
      tree.makeFolder(...at, to.mode | OWNER_MAY_WRITE),
    );
  }

  async put(step: RewindStep): Promise<void> {
    const { path, from, to } = step;
    if (to?.kind === "symlink") {
      const link = { kind: "symlink", target: to.target } as const;
      await this.#attempt(afterRemoval(step), (tree, ...at) => tree.put(...at, link));
    }
    if (to?.kind !== "file") return;
    const { mode } = to.stat;
    if (from?.kind === "file" && sameContent(from.content, to.content)) {
      await this.#attempt(step, (tree, ...at) => tree.setMode(...at, mode));
      return;
    }
    const content = await storedContent(to, this.#dependencies, this.#signal);
    if (content === undefined) this.#notRestorable.push({ path, why: missingReason(to) });
    else
      await this.#attempt(afterRemoval(step), (tree, ...at) =>
        tree.put(...at, { kind: "file", content, mode }),
      );
  }

  async closeFolder(step: RewindStep): Promise<void> {
    const { from, to } = step;
    if (to?.kind !== "directory") return;
    const isNew = from?.kind !== "directory";
    await this.#attempt(step, (tree, ...at) => tree.setMode(...at, to.mode), { isNew });
  }

  /** Acts on one path, if it is in the planned state or was made a moment ago. */
  async #attempt(
    step: RewindStep,
    act: (tree: Tree, root: string, path: string) => void,
    { isNew }: { readonly isNew: boolean } = { isNew: false },
  ): Promise<void> {
    const { path } = step;
    const { tree, root } = this.#dependencies;
    if (this.#failed.has(path)) return;
    try {
      if (!isNew) assertUnchanged(step, this.#dependencies);
      act(tree, ...splitRoot(root, path));
      this.#restored.add(path);
    } catch (thrown) {
      this.#failed.add(path);
      this.#restored.delete(path);
      this.#kept.push({ path, why: skipReason(thrown) });
    }
    this.#attempts += 1;
    if (this.#attempts % STEPS_PER_PAUSE === 0) await tree.pause(this.#signal);
  }
}

/** Returns true if what exists must be removed first: only a file can be replaced by another in one step. */
function mustBeRemoved({ from, to }: RewindStep): boolean {
  if (from === undefined) return false;
  return to === undefined || (from.kind === "directory") !== (to.kind === "directory");
}

/** Returns the expected state before the new file is put: nothing, if the old one had to be removed. */
function afterRemoval(step: RewindStep): RewindStep {
  return mustBeRemoved(step) ? { path: step.path } : step;
}

/** @throws PathMoved if a file is not in the state that the plan was made for. */
function assertUnchanged({ path, from, to }: RewindStep, { tree, root, store }: RestoreDependencies): void {
  const place = splitRoot(root, path);
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

  /**
   * Compares content if times would not show a change, and if they show one: restoring another name of the same file
   * a moment ago has changed them too, and the mode with them.
   */
  function holds({ stat: known, content }: FileEntry, at: readonly [string, string]): boolean {
    const modes = to?.kind === "file" ? [known.mode, to.stat.mode] : [known.mode];
    if (stat?.size !== known.size || !modes.includes(stat.mode)) return false;
    const bytes = tree.read(...at, known.size + 1);
    if (content.kind === "git") return blobName(bytes) === content.object;
    return store.name(bytes) === (content.kind === "kept" ? content.name : content.print);
  }
}

type FileEntry = Extract<Entry, { kind: "file" }>;

function skipReason(thrown: unknown): string {
  if (thrown instanceof PathMoved) return "it was changed or replaced at this moment, or a link leads there";
  const code = codeOf(thrown);
  if (code === "ENOTEMPTY" || code === "EEXIST") return "the folder holds other files";
  return messageOf(thrown);
}
