import { defined } from "../../../base/defined.ts";
import type { NodeChange, Tree, TreeSnapshot } from "../../../base/files/tree.ts";
import { TreeTooLarge } from "../../../base/files/tree.ts";
import type { Files, World } from "../../../base/world.ts";
import { isFileChanged } from "../changes/changed-paths.ts";
import { CurrentRepository } from "../git/current-repository.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { WORKSPACE_ENTRIES_MAX } from "../recording-limits.ts";
import type {
  ChangedBy,
  CheckpointStore,
  StoredCall,
  StoredChange,
  StoredRecord,
} from "../store/checkpoint-store.ts";
import type { Journal } from "../store/entries.ts";
import { Entries, entriesAfter } from "../store/entries.ts";
import type { Entry } from "../store/entry.ts";
import { packEntry, sameEntry } from "../store/entry.ts";
import { PreimageRecorder } from "../store/preimage-recorder.ts";
import { FileSnapshots } from "./file-snapshots.ts";
import { makePause } from "./make-pause.ts";
import { foldersAbove, parentOf, splitRoot } from "./paths.ts";
import type { RecordingScope } from "./recording-scope.ts";
import { GIT_FOLDER, Selection, SKIP_REASONS } from "./selection.ts";

/** Age up to which a scan counts as current. */
const FRESH_MS = 100;
/** Limit for the changed files that are noted of one call; the rest is counted. */
export const CALL_FILES_MAX = 500;
/** Limit for all files that are noted between two records. */
const NOTED_FILES_MAX = 20_000;
/** Changes processed between two pauses. */
const TAKES_PER_PAUSE = 64;

export interface TrackerDependencies {
  readonly world: Pick<World, "clock" | "log">;
  readonly files: Files;
  readonly tree: Tree;
  /** Absolute and resolved. */
  readonly root: string;
  /** Absolute paths that are never scanned. */
  readonly exclude: readonly string[];
  readonly scope: RecordingScope;
  /** Configuration and attribute files of the user's git. */
  readonly configFiles: readonly string[];
  readonly store: CheckpointStore;
  /** Returns the bytes that may still be stored; called once, before the first is. */
  readonly room: () => Promise<number>;
  /** Returns the number of the log's last event. */
  readonly lastEvent: () => Promise<number>;
}

/** Files that a call may change, below the root or absolute, or anything in the workspace. */
export type Changes = readonly string[] | "anything";

/** A call that may change files at this moment. */
export interface RunningCall {
  readonly changes: Changes;
  readonly journal: Journal;
}

interface CallNote extends Omit<StoredCall, "changes"> {
  readonly states: readonly (readonly [path: string, from: Entry | undefined, to: Entry | undefined])[];
}

/** Knows the files of one workspace as of the last scan, and who changed what since the last record. */
export class Tracker {
  readonly #dependencies: TrackerDependencies;
  readonly #repository: CurrentRepository;
  readonly #selection: Selection;
  readonly #snapshots: FileSnapshots;
  readonly #entries: Entries;
  readonly #recorder: PreimageRecorder;
  #look: TreeSnapshot | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #isPartial: boolean;
  /**
   * Paths that running calls may change, in the form of `entries`: a change there is theirs, regardless of which scan
   * finds it.
   */
  #running: readonly RunningCall[] = [];
  /** Number of commands of the user that run. */
  #userCommands = 0;
  #notes: CallNote[] = [];
  /** True if the last turn has no end: its process died, and later changes may be its work or anybody's. */
  #isCutOff: boolean;

  private constructor(dependencies: TrackerDependencies, entries: Entries) {
    this.#dependencies = dependencies;
    const { store, scope, room } = dependencies;
    this.#repository = new CurrentRepository(dependencies);
    const repository = () => this.#repository.current;
    this.#selection = new Selection({ ...dependencies, repository });
    this.#snapshots = new FileSnapshots({ ...dependencies, repository });
    this.#entries = entries;
    this.#recorder = new PreimageRecorder({ entries, snapshots: this.#snapshots, store, repository, room });
    this.#isPartial = scope !== "all";
    const last = store.headers.at(-1)?.kind;
    this.#isCutOff = last === "base" || last === "before";
  }

  static async open(dependencies: TrackerDependencies): Promise<Tracker> {
    const records = await dependencies.store.records();
    return new Tracker(dependencies, new Entries(records.length === 0 ? undefined : entriesAfter(records)));
  }

  get entries(): ReadonlyMap<string, Entry> {
    return this.#entries.all;
  }

  get repository(): GitRepository | undefined {
    return this.#repository.current;
  }

  /** True if only files that a call names are recorded, since others work here too or there are too many. */
  get isPartial(): boolean {
    return this.#isPartial;
  }

  /** Paths that currently cannot be restored. */
  get notRestorable(): readonly string[] {
    const paths = [...this.#entries.all].flatMap(([path, entry]) =>
      (entry.kind === "other" && entry.why !== GIT_FOLDER) ||
      (entry.kind === "file" && entry.content.kind === "missing")
        ? [path]
        : [],
    );
    return this.#isPartial ? [".", ...paths] : paths;
  }

  /**
   * Attributes changes in the reach of a call to it, even if a scan for the user's changes sees them first. Stores what
   * the call may change and is not stored yet, within the limits beside a call.
   * @throws HarnessError CheckpointUnwritable; the signal's reason.
   */
  async callBegins(changes: Changes, signal: AbortSignal): Promise<RunningCall> {
    const paths = changes === "anything" ? this.#entries.unstored.map(([path]) => path) : changes;
    await this.#recorder.recordSome(paths, makePause(this.#dependencies, signal));
    const running = { changes, journal: this.#entries.openJournal() };
    this.#running = [...this.#running, running];
    return running;
  }

  /** Ends a call. */
  callEnds(running: RunningCall): void {
    this.#entries.closeJournal(running.journal);
    this.#running = this.#running.filter((each) => each !== running);
  }

  /** From now on a command of the user runs: what a scan of the workspace finds may be its work. */
  userBegins(): void {
    this.#userCommands += 1;
  }

  /** Ends a command of the user. */
  userEnds(): void {
    this.#userCommands -= 1;
  }

  /**
   * Stores what a call has left, within the limits beside a call, and notes the call for the next record.
   * @throws HarnessError CheckpointUnwritable; the signal's reason.
   */
  async note(
    { call, turn }: Pick<StoredCall, "call" | "turn">,
    running: RunningCall,
    signal: AbortSignal,
  ): Promise<void> {
    const { changes, journal } = running;
    const changed = [...journal].filter(
      ([path, before]) =>
        (changes === "anything" || changes.includes(path)) && !sameEntry(before, this.#entries.get(path)),
    );
    const room = NOTED_FILES_MAX - this.#notes.reduce((sum, { states }) => sum + states.length, 0);
    const listed = changed.slice(0, Math.min(CALL_FILES_MAX, room));
    await this.#recorder.recordSome(
      listed.map(([path]) => path),
      makePause(this.#dependencies, signal),
    );
    const states = listed.map(([path, before]) => [path, before, this.#entries.get(path)] as const);
    this.#notes.push({ call, turn, states, leftOut: changed.length - listed.length });
  }

  /** Calls that no record has yet. */
  get notes(): readonly StoredCall[] {
    const isStored = this.#dependencies.store.has.bind(this.#dependencies.store);
    const packed = (path: string, entry: Entry | undefined) =>
      packEntry(this.#entries.withContent(path, entry, isStored));
    return this.#notes.map(({ states, ...note }) => ({
      ...note,
      changes: states.map(([path, from, to]) => [path, packed(path, from), packed(path, to)] as const),
    }));
  }

  /** Changes that no record has yet. */
  get unrecorded(): readonly StoredChange[] {
    return this.#entries.hasChanges ? this.#entries.toRecord() : [];
  }

  /**
   * Records what a turn has left, and returns the files that its calls changed, sorted. An author counts as in
   * GetChanges.
   * @throws HarnessError CheckpointUnwritable; the signal's reason.
   */
  async recordEnd(turn: number, signal: AbortSignal): Promise<readonly string[]> {
    const changed = this.#entries.changedByCalls;
    await this.record("after", turn, signal); // also stores contents, by which they are compared
    return changed
      .filter(([path, from]) => isFileChanged(from, this.#entries.get(path)))
      .map(([path]) => path)
      .toSorted();
  }

  /** Reads a file whose content is not stored yet, as it is now. */
  readUnstored(path: string): Uint8Array | undefined {
    return this.#entries.unstoredAt(path) === undefined ? undefined : this.#snapshots.read(path);
  }

  /** Reads the repository again if its index was written. @throws the signal's reason. */
  async refreshRepository(signal: AbortSignal): Promise<void> {
    await this.#repository.refresh(signal);
  }

  /** Scans the whole workspace; differences are attributed to `by`, and to both beside a command of the user. */
  async scan(by: ChangedBy, signal: AbortSignal, how: "anew" | "if not fresh" = "anew"): Promise<void> {
    const { clock } = this.#dependencies.world;
    const laidTo = this.#isCutOff ? "unknown" : by === "calls" && this.#userCommands > 0 ? "both" : by;
    const isFresh = this.#userCommands === 0 && clock.monotonic() - this.#lookedMs < FRESH_MS;
    if (how === "if not fresh" && !this.#isCutOff && isFresh) return;
    const startMs = clock.monotonic();
    await this.#repository.refresh(signal);
    if (this.#isPartial) this.#refresh([...this.#entries.all.keys()], laidTo);
    else {
      this.#refresh(this.#entries.outside, laidTo);
      await this.#lookAtAll(laidTo, signal);
    }
    this.#isCutOff = false;
    this.#lookedMs = startMs;
  }

  /** Checks only some paths, below the root or absolute. */
  async scanPaths(paths: readonly string[], by: ChangedBy, signal: AbortSignal): Promise<void> {
    await this.#repository.refresh(signal);
    this.#refresh(paths, by);
  }

  /**
   * Stores the content of every file that is not stored yet, and writes the differences since the last record.
   * @throws HarnessError CheckpointUnwritable; the signal's reason.
   */
  async record(kind: StoredRecord["kind"], turn: number, signal: AbortSignal): Promise<void> {
    await this.#recorder.recordAll(makePause(this.#dependencies, signal));
    const { store, lastEvent } = this.#dependencies;
    const isFirst = store.headers.length === 0;
    if (!isFirst && !this.#entries.hasChanges && kind !== "before" && kind !== "after") return;
    const changes = this.#entries.toRecord();
    const calls = this.notes;
    const record = { kind: isFirst ? "base" : kind, turn, at: await lastEvent(), changes } as const;
    await store.write({ ...record, ...(calls.length === 0 ? {} : { calls }) });
    this.#entries.wasRecorded();
    this.#notes = [];
  }

  async #lookAtAll(by: ChangedBy, signal: AbortSignal): Promise<void> {
    const { tree, root } = this.#dependencies;
    const since = this.#look;
    const select = this.#selection.select.bind(this.#selection);
    const hasKnown = this.#entries.all.size > 0;
    const options = { entriesMax: WORKSPACE_ENTRIES_MAX, select, ...defined({ since }) };
    const look = await tree.scan(root, options, signal).catch(orTooLarge);
    if (look === "too large") {
      this.#isPartial = true;
      return;
    }
    const pause = makePause(this.#dependencies, signal);
    for (const [index, change] of look.changes.entries()) {
      this.#take(change, by);
      if (index % TAKES_PER_PAUSE === 0) await pause();
    }
    if (since === undefined && hasKnown) this.#takeMissing(new Set(look.changes.map(({ path }) => path)), by);
    this.#takeLeft(by);
    // If the ignore rules have changed, other folders may have to be scanned.
    const isIgnoreNew = since !== undefined && look.changes.some(({ path }) => path.endsWith(".gitignore"));
    this.#look = isIgnoreNew ? undefined : look;
  }

  #refresh(paths: readonly string[], by: ChangedBy): void {
    const { tree, root } = this.#dependencies;
    for (const path of paths) {
      for (const at of path.startsWith("/") ? [] : foldersAbove(path)) {
        if (this.#entries.get(at)?.kind !== "directory") this.#refresh([at], by);
      }
      const stat = tree.stat(...splitRoot(root, path));
      this.#take({ path, ...defined({ stat }), sure: false }, by);
    }
  }

  /** Records paths that were known before the first scan and that it has not found. */
  #takeMissing(seen: ReadonlySet<string>, by: ChangedBy): void {
    for (const [path, entry] of [...this.#entries.all]) {
      if (entry.kind === "other" && SKIP_REASONS.has(entry.why)) continue;
      if (!seen.has(path) && !path.startsWith("/")) this.#refresh([path], by);
    }
  }

  #takeLeft(by: ChangedBy): void {
    const isThere = (folder: string) => folder === "" || this.#entries.get(folder)?.kind === "directory";
    const skippedFolders = [...this.#selection.skippedFolders()].filter(({ path }) =>
      isThere(parentOf(path)),
    );
    for (const { path, why } of skippedFolders) this.#entries.set(path, { kind: "other", why }, by);
    const there = new Set(skippedFolders.map(({ path }) => path));
    for (const path of this.#entries.leftOut) if (!there.has(path)) this.#entries.set(path, undefined, by);
  }

  #take(change: NodeChange, by: ChangedBy): void {
    const { path } = change;
    const before = this.#entries.get(path);
    const now = this.#snapshots.entryOf(change, before);
    if (now !== undefined && now === before) return;
    if (isSameFile(before, now)) this.#entries.refine(path, now);
    else this.#entries.set(path, now, by === "user" ? this.#foundAuthor(path) : by);
  }

  /** Returns the author of a change that a scan for the user's changes has found. */
  #foundAuthor(path: string): ChangedBy {
    const isNamed = this.#running.some(({ changes }) => changes !== "anything" && changes.includes(path));
    if (isNamed) return "calls";
    if (!this.#running.some(({ changes }) => changes === "anything")) return "user";
    return this.#userCommands > 0 ? "both" : "calls";
  }
}

function orTooLarge(thrown: unknown): "too large" {
  if (thrown instanceof TreeTooLarge) return "too large";
  throw thrown;
}

/** Returns true for a file whose content equals the known one, whatever its times. */
function isSameFile(
  before: Entry | undefined,
  now: Entry | undefined,
): now is Extract<Entry, { kind: "file" }> {
  return (
    before?.kind === "file" &&
    now?.kind === "file" &&
    before.content === now.content &&
    before.stat.mode === now.stat.mode
  );
}
