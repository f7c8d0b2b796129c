import { HarnessError, messageOf } from "../../base/errors.ts";
import { relativeWithin } from "../../base/files/below.ts";
import type { CallId } from "../../base/ids.ts";
import type { World } from "../../base/world.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { ChangeSource } from "./changes/change-source.ts";
import { entryContent, recordsOrLoss } from "./changes/change-source.ts";
import type { RestoreDependencies, RestoreResult } from "./rewind/restore.ts";
import { availableSteps, restore } from "./rewind/restore.ts";
import type { Boundary, ForeignSet, RewindPlan, RewindStep } from "./rewind/rewind-plan.ts";
import { isBeforeBoundary, planRewind } from "./rewind/rewind-plan.ts";
import type { CheckpointStore } from "./store/checkpoint-store.ts";
import type { Entry } from "./store/entry.ts";
import { sameEntry } from "./store/entry.ts";
import { displayPath } from "./tracking/paths.ts";
import type { Changes, RunningCall, Tracker, TrackerDependencies } from "./tracking/tracker.ts";

/** Limit for paths listed in an event; the rest is counted. */
export const PATHS_LISTED_MAX = 100;

export interface CheckpointsDependencies {
  readonly world: Pick<World, "log">;
  readonly tracking: TrackerDependencies;
  readonly store: CheckpointStore;
  readonly tracker: Tracker;
}

export interface CheckpointTurn {
  readonly turn: number;
  /** The call that is about to run. Omit it if nobody will ask for its changes. */
  readonly call?: CallId;
  readonly signal: AbortSignal;
  emit(event: Event): void;
}

/** A call whose files are recorded, for `after`. */
export interface RecordedCall {
  readonly changes: Changes;
  readonly turn: number;
  readonly call?: CallId | undefined;
  /** Absent if nothing of the workspace is recorded. */
  readonly running?: RunningCall;
}

export interface RewindPreview extends RewindPlan {
  /** Changes as soon as the effect of the rewind changes. */
  readonly token: string;
}

/**
 * Records the files of one session's workspace before a turn changes them, and restores them (SES-15).
 *
 * Scans, records and rewinds run one at a time, in the order of the calls.
 */
export class Checkpoints {
  readonly #dependencies: CheckpointsDependencies;
  #queue: Promise<unknown> = Promise.resolve();
  /** Number of the turn whose first change was prepared. */
  #turn: number | undefined;

  constructor(dependencies: CheckpointsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Set if records are missing or cannot be opened. */
  get damage(): HarnessError | undefined {
    return this.#dependencies.store.damage;
  }

  /** The reason why the oldest records are gone; undefined if none are. */
  get loss(): string | undefined {
    return this.#dependencies.store.loss;
  }

  /** Number of the log's last event when the oldest existing record was written; undefined if there is none. */
  get oldest(): number | undefined {
    return this.#dependencies.store.headers[0]?.at;
  }

  /** Returns true if a record was written from an event on that shows the state at a boundary. */
  hasRecords(since: number, boundary: Boundary): boolean {
    return this.#dependencies.store.headers.some(
      (header) => header.at >= since && isBeforeBoundary(header, boundary),
    );
  }

  /**
   * Resolves when the files that a call may change are recorded. Differences to the last scan are attributed to the
   * user; later ones, until `after` with the same changes, to the call.
   * @throws HarnessError CheckpointUnwritable; the signal's reason. The call must not run then.
   */
  async before(changes: Changes, { turn, call, signal, emit }: CheckpointTurn): Promise<RecordedCall> {
    return await this.#inTurn(async () => {
      signal.throwIfAborted();
      const isFirst = this.#turn !== turn;
      if (this.#keepsNothing) {
        this.#turn = turn;
        if (isFirst) emit({ kind: "CheckpointMade", payload: { turn, files: 0, notRestorable: ["."] } });
        return { changes, turn, call };
      }
      const reach = this.#reach(changes);
      if (isFirst || changes === "anything") await this.#tracker.scan("user", signal, "if not fresh");
      if (reach !== "anything") await this.#tracker.scanPaths(reach, "user", signal);
      if (isFirst) {
        await this.#tracker.record("before", turn, signal);
        this.#turn = turn;
        emit({ kind: "CheckpointMade", payload: { turn, ...this.#summary() } });
      }
      return { changes, turn, call, running: await this.#tracker.callBegins(reach, signal) };
    });
  }

  /** Finds what a call has changed. Only the next operation waits for it. */
  async after({ changes, turn, call, running }: RecordedCall, signal: AbortSignal): Promise<void> {
    if (this.#keepsNothing) return;
    const reach = this.#reach(changes);
    await this.#inTurn(async () => {
      try {
        // The next request goes first.
        await this.#dependencies.tracking.tree.pause(signal);
        if (reach === "anything") await this.#tracker.scan("calls", signal);
        else await this.#tracker.scanPaths(reach, "calls", signal);
        if (call !== undefined && running !== undefined)
          await this.#tracker.note({ call, turn }, running, signal);
      } catch (thrown) {
        if (!signal.aborted) this.#log("the changes of a call could not be scanned", thrown);
      } finally {
        if (running !== undefined) this.#tracker.callEnds(running);
      }
    });
  }

  /**
   * Resolves when a command of the user may begin. It belongs to no turn: what it changes is the user's, up to
   * `userEnds`. What a call changes beside it may be either's. @throws the signal's reason.
   */
  async userBegins(signal: AbortSignal): Promise<void> {
    if (this.#keepsNothing) return;
    await this.#inTurn(async () => {
      await this.#scanForUser(signal);
      signal.throwIfAborted();
      this.#tracker.userBegins();
    });
  }

  /** Finds what a command of the user has changed. Only the next operation waits for it. */
  async userEnds(signal: AbortSignal): Promise<void> {
    if (this.#keepsNothing) return;
    await this.#inTurn(async () => {
      await this.#scanForUser(signal);
      this.#tracker.userEnds();
    });
  }

  /**
   * Scans the workspace and returns the files that differ since the last scan, sorted; undefined if only files that a
   * call names are known. Differences are attributed to `by`. @throws the signal's reason.
   */
  async changedSinceScan(by: "calls" | "user", signal: AbortSignal): Promise<readonly string[] | undefined> {
    if (this.#keepsNothing) return undefined;
    return await this.#inTurn(async () => {
      const before = new Map(this.#tracker.entries);
      await this.#tracker.scan(by, signal);
      if (this.#tracker.isPartial) return undefined;
      const now = this.#tracker.entries;
      const isFile = (path: string) => (now.get(path) ?? before.get(path))?.kind !== "directory";
      const differs = (path: string) => !sameEntry(before.get(path), now.get(path));
      return [...new Set([...before.keys(), ...now.keys()])]
        .filter((path) => before.get(path) !== now.get(path) && isFile(path) && differs(path))
        .toSorted();
    });
  }

  /**
   * Records the state that the turn has left. Returns the files that it changed, as GetChanges names them, at most
   * `PATHS_LISTED_MAX`; undefined if nothing of the turn is recorded.
   * @throws HarnessError CheckpointUnwritable; the signal's reason.
   */
  async endTurn(turn: number, signal: AbortSignal): Promise<readonly string[] | undefined> {
    return await this.#inTurn(async () => {
      if (this.#turn !== turn || this.#keepsNothing) return undefined;
      const paths = await this.#tracker.recordEnd(turn, signal);
      return paths.slice(0, PATHS_LISTED_MAX).map(displayPath);
    });
  }

  /**
   * Returns the effect of restoring files to a boundary.
   * @throws HarnessError CheckpointMissing, CheckpointsDamaged, CheckpointUnwritable; the signal's reason.
   */
  async preview(boundary: Boundary, turn: number, signal: AbortSignal): Promise<RewindPreview> {
    return await this.#inTurn(() => this.#preview(boundary, turn, signal));
  }

  /**
   * Restores files as a preview announced. Records the rewind, which can be undone like a turn.
   * @throws HarnessError RewindChanged if the effect now differs from the preview.
   */
  async rewind(
    boundary: Boundary,
    { token, overwrite, turn }: { token: string; overwrite: readonly ForeignSet[]; turn: number },
    signal: AbortSignal,
  ): Promise<RestoreResult> {
    return await this.#inTurn(async () => {
      const plan = await this.#preview(boundary, turn, signal);
      if (plan.token !== token) throw new HarnessError("RewindChanged", {});
      const steps = [...plan.steps, ...overwrite.flatMap((set) => plan[set])];
      let touched = steps.map(({ path }) => path);
      try {
        const done = await restore(steps, this.#restoring, signal);
        touched = [...done.restored];
        const spared = (["contested", "foreign"] as const).filter((set) => !overwrite.includes(set));
        const skippedPaths = spared.flatMap((set) => plan[set].map(({ path }) => ({ path, why: WHY[set] })));
        return {
          restored: done.restored,
          kept: [...skippedPaths, ...done.kept],
          notRestorable: [...plan.notRestorable, ...done.notRestorable],
        };
      } finally {
        // Also attributes what was done before a failure: the next rewind must not take it for somebody else's work.
        const unstopped = new AbortController().signal;
        await this.#tracker.scanPaths(touched, "calls", unstopped);
        await this.#tracker.record("rewind", turn, unstopped);
      }
    });
  }

  /**
   * Returns what is recorded, with the changes of a running turn up to its last ended call. Waits for scans under way.
   * @throws the signal's reason.
   */
  async changeSource(signal: AbortSignal): Promise<ChangeSource> {
    const { store, tracking } = this.#dependencies;
    const { unrecorded, notes } = await this.#inTurn(async () => {
      signal.throwIfAborted();
      await this.#tracker.refreshRepository(signal);
      return { unrecorded: this.#tracker.unrecorded, notes: this.#tracker.notes };
    });
    const turn = this.#turn ?? 0;
    const running = {
      kind: "after",
      turn,
      at: Number.MAX_SAFE_INTEGER,
      changes: unrecorded,
      contents: [],
    } as const;
    const sources = {
      store,
      repository: () => this.#tracker.repository,
      unstored: (path: string) => this.#tracker.readUnstored(path),
    };
    const { records, loss } = await recordsOrLoss(store);
    return {
      records: unrecorded.length === 0 ? records : [...records, running],
      unwrittenCalls: notes,
      loss: this.#keepsNothing ? NOTHING_KEPT : loss,
      content: async (path, entry, asked) => await entryContent({ path, entry }, sources, asked),
      pause: (asked) => tracking.tree.pause(asked),
    };
  }

  get #keepsNothing(): boolean {
    return this.#dependencies.tracking.scope === "nothing";
  }

  get #tracker(): Tracker {
    return this.#dependencies.tracker;
  }

  get #restoring(): RestoreDependencies {
    const { tree, root } = this.#dependencies.tracking;
    return { tree, root, store: this.#dependencies.store, repository: () => this.#tracker.repository };
  }

  async #preview(boundary: Boundary, turn: number, signal: AbortSignal): Promise<RewindPreview> {
    const { store } = this.#dependencies;
    if (this.#keepsNothing) {
      const why = `nothing is kept in ${this.#dependencies.tracking.root}, which holds whole homes or the whole machine`;
      throw new HarnessError("CheckpointMissing", { to: String(boundary.at), why });
    }
    const first = store.headers[0];
    const isOlder = first !== undefined && first.number !== 1 && first.at >= boundary.at;
    if (isOlder && first.turn !== boundary.startOf) {
      const why = store.loss ?? "what stood before the oldest one was let go";
      throw new HarnessError("CheckpointMissing", { to: String(boundary.at), why });
    }
    await this.#tracker.scan("user", signal);
    if (first !== undefined) await this.#tracker.record("seen", turn, signal);
    const planned = planRewind(await store.records(), this.#tracker.entries, boundary);
    const lists = { steps: planned.steps, contested: planned.contested, foreign: planned.foreign };
    const notRestorable = [...planned.notRestorable];
    // Changes by commands are unknown then, and must not be taken for unchanged.
    if (this.#tracker.isPartial) notRestorable.unshift({ path: ".", why: ONLY_NAMED });
    const available = { ...lists };
    for (const set of ["steps", "contested", "foreign"] as const) {
      const found = await availableSteps(lists[set], this.#restoring, signal);
      available[set] = found.steps;
      notRestorable.push(...found.notRestorable);
    }
    const plan = { ...available, notRestorable };
    return { ...plan, token: store.name(new TextEncoder().encode(tokenText(boundary, plan))) };
  }

  #summary(): { readonly files: number; readonly notRestorable?: string[] } {
    const { entries, notRestorable } = this.#tracker;
    const files = [...entries.values()].filter(({ kind }) => kind === "file").length;
    const missing = notRestorable.length;
    if (missing === 0) return { files };
    const listed = notRestorable.slice(0, PATHS_LISTED_MAX).map(displayPath);
    const rest = missing > PATHS_LISTED_MAX ? [`and ${missing - PATHS_LISTED_MAX} more`] : [];
    return { files: Math.max(0, files - missing), notRestorable: [...listed, ...rest] };
  }

  #reach(changes: Changes): Changes {
    const { root } = this.#dependencies.tracking;
    return changes === "anything" ? changes : changes.map((path) => relativeWithin(root, path) || path);
  }

  /** The command runs all the same if this fails: the next scan finds what it has missed. */
  async #scanForUser(signal: AbortSignal): Promise<void> {
    try {
      await this.#tracker.scan("user", signal);
    } catch (thrown) {
      if (!signal.aborted) this.#log("the changes of the user could not be scanned", thrown);
    }
  }

  #log(message: string, thrown: unknown): void {
    this.#dependencies.world.log.for("checkpoint").write("warn", message, { what: messageOf(thrown) });
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const before = this.#queue;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queue = promise;
    try {
      await before;
      return await work();
    } finally {
      resolve();
    }
  }
}

/**
 * Describes the effect of a plan. Without the times of a file with known content: they are read again where they were
 * in doubt.
 */
function tokenText(boundary: Boundary, plan: RewindPlan): string {
  const identity = (entry: Entry | undefined) =>
    entry?.kind === "file" && entry.content.kind !== "missing"
      ? [entry.stat.mode, entry.content]
      : (entry ?? null);
  const steps = (set: readonly RewindStep[]) =>
    set.map(({ path, from, to }) => [path, identity(from), identity(to)]);
  const { notRestorable } = plan;
  return JSON.stringify([
    boundary,
    steps(plan.steps),
    steps(plan.contested),
    steps(plan.foreign),
    notRestorable,
  ]);
}

const ONLY_NAMED = "only files that a call names are kept in this folder; what commands changed stays";

const NOTHING_KEPT = "nothing is kept in this folder, which holds whole homes or the whole machine";

const WHY = {
  contested: "you, or something else, changed it too, or may have",
  foreign: "it was not changed by cinch",
} as const;
