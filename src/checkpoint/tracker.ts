import { messageOf } from "../base/errors.ts";
import type { Look, NodeChange, NodeStat, Tree } from "../base/tree.ts";
import { TreeTooLarge } from "../base/tree.ts";
import type { Files, World } from "../base/world.ts";
import type { Content, Entry } from "./entry.ts";
import { fileStat, openEntry, packEntry, sameEntry, sameStat } from "./entry.ts";
import type { Repository } from "./git.ts";
import { openRepository, repositoryStamp } from "./git.ts";
import { blobName } from "./git-objects.ts";
import type { Scope } from "./scope.ts";
import { GITS_OWN, LEFT_OUT, parentOf, Selection } from "./selection.ts";
import type { ChangedBy, CheckpointStore, StoredChange, StoredRecord } from "./store.ts";

/** A larger file is not kept. */
export const FILE_BYTES_MAX = 16 * 1024 * 1024;
/** A workspace with more files and folders is not looked at: only files that a call names are kept. */
export const ENTRIES_MAX = 200_000;
/** A look that began so shortly before counts as one of now. */
const FRESH_MS = 100;
/** Changes that are taken in before it is asked whether to pause. */
const TAKES_PER_PAUSE = 64;
/** Reading and hashing between two pauses; one large file takes longer. */
const SLICE_MS = 5;

const PENDING = { kind: "missing", why: "not kept yet" } as const;
const TOO_LARGE: Content = { kind: "missing", why: "larger than 16 MB" };
const NO_ROOM: Content = { kind: "missing", why: "no room for it" };

export interface TrackerParts {
  readonly world: Pick<World, "clock" | "log">;
  readonly files: Files;
  readonly tree: Tree;
  /** Absolute and resolved. */
  readonly root: string;
  /** Absolute paths that are never looked into. */
  readonly exclude: readonly string[];
  readonly scope: Scope;
  /** Configuration and attribute files of the user's git. */
  readonly configFiles: readonly string[];
  readonly store: CheckpointStore;
  /** Bytes that may still be kept; asked once, before the first is. */
  readonly room: () => Promise<number>;
  /** The last event in the log. */
  readonly lastEvent: () => Promise<number>;
}

/**
 * What is known of the files of one workspace: how they were when they were last looked at, who changed what since the
 * last record, and what of it is still to be kept.
 */
export class Tracker {
  readonly #parts: TrackerParts;
  readonly #selection: Selection;
  #entries = new Map<string, Entry>();
  #look: Look | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #repository: Repository | undefined;
  #stamp: string | undefined | "unread" = "unread";
  /** Differences to the last record. */
  readonly #changed = new Map<string, ChangedBy>();
  /** Files whose content is still to be kept. */
  readonly #unkept = new Set<string>();
  #room: number | undefined;
  #isPartial = false;
  /** The last turn has no end: its process died, and what has changed since may be its work or anybody's. */
  #isCutOff = false;

  private constructor(parts: TrackerParts) {
    this.#parts = parts;
    const { tree, root, exclude } = parts;
    this.#isPartial = parts.scope !== "all";
    this.#selection = new Selection({ tree, root, exclude, repository: () => this.#repository });
  }

  static async open(parts: TrackerParts): Promise<Tracker> {
    const tracker = new Tracker(parts);
    tracker.#entries = entriesAfter(await parts.store.records());
    const last = parts.store.headers.at(-1)?.kind;
    tracker.#isCutOff = last === "base" || last === "before";
    return tracker;
  }

  get entries(): ReadonlyMap<string, Entry> {
    return this.#entries;
  }

  get repository(): Repository | undefined {
    return this.#repository;
  }

  /** Whether only files that a call names are kept, since others work here too or there are too many. */
  get isPartial(): boolean {
    return this.#isPartial;
  }

  /** Paths that cannot be set back, as things stand. */
  get notRestorable(): readonly string[] {
    const paths = [...this.#entries].flatMap(([path, entry]) =>
      (entry.kind === "other" && entry.why !== GITS_OWN) ||
      (entry.kind === "file" && entry.content.kind === "missing")
        ? [path]
        : [],
    );
    return this.#isPartial ? [".", ...paths] : paths;
  }

  /** Looks at the whole workspace; what differs is laid to `by`. */
  async look(by: ChangedBy, signal: AbortSignal, how: "anew" | "if not fresh" = "anew"): Promise<void> {
    const { clock } = this.#parts.world;
    if (this.#isCutOff) {
      this.#isCutOff = false;
      await this.look("unknown", signal);
      return;
    }
    if (how === "if not fresh" && clock.monotonic() - this.#lookedMs < FRESH_MS) return;
    const startMs = clock.monotonic();
    await this.#readRepository();
    const outside = [...this.#entries.keys()].filter((path) => path.startsWith("/"));
    this.#refresh(outside, by);
    if (this.#isPartial) {
      this.#refresh([...this.#entries.keys()], by);
      return;
    }
    const { tree, root } = this.#parts;
    const select = this.#selection.select.bind(this.#selection);
    try {
      const options = { entriesMax: ENTRIES_MAX, select };
      const since = this.#look;
      const look = await tree.look(root, since === undefined ? options : { ...options, since }, signal);
      const seen = since === undefined ? new Set(look.changes.map(({ path }) => path)) : undefined;
      const pause = this.#pausing(signal);
      for (const [index, change] of look.changes.entries()) {
        this.#take(change, by);
        if (index % TAKES_PER_PAUSE === 0) await pause();
      }
      if (seen !== undefined) this.#takeMissing(seen, by);
      this.#takeLeft(by);
      this.#look = look;
      this.#lookedMs = startMs;
      if (look.changes.some(({ path }) => path.endsWith(".gitignore")) && since !== undefined) {
        this.#look = undefined; // what is looked into may be other folders now
      }
    } catch (thrown) {
      if (!(thrown instanceof TreeTooLarge)) throw thrown;
      this.#isPartial = true;
    }
  }

  /** Looks at some paths alone, below the root or absolute. */
  async lookAt(paths: readonly string[], by: ChangedBy): Promise<void> {
    await this.#readRepository();
    this.#refresh(paths, by);
  }

  /** Finds out which files are the same as an object of the repository, where their times alone do not tell. */
  async compareWithGit(signal: AbortSignal): Promise<void> {
    const pause = this.#pausing(signal);
    for (const path of this.#unkept) {
      const entry = this.#entries.get(path);
      const tracked = this.#repository?.entry(path);
      if (entry?.kind !== "file" || tracked === undefined || entry.stat.size > FILE_BYTES_MAX) continue;
      const content = this.#read(path);
      if (content !== undefined && blobName(content) === tracked.object) {
        this.#settle(path, entry, { kind: "git", object: tracked.object });
      }
      await pause();
    }
  }

  /**
   * Keeps the content of every file that is not kept yet, the small ones first, and writes what differs since the last
   * record.
   * @throws HarnessError CheckpointUnwritable; the signal's reason.
   */
  async record(kind: StoredRecord["kind"], turn: number, signal: AbortSignal): Promise<void> {
    await this.#keepAll(signal);
    const { store, lastEvent } = this.#parts;
    const isBase = store.headers.length === 0;
    if (!isBase && this.#changed.size === 0 && kind !== "before" && kind !== "after") return;
    const changes: StoredChange[] = isBase
      ? [...this.#entries].map(([path, entry]) => [path, "user", packEntry(entry)])
      : [...this.#changed].map(([path, by]) => [path, by, packEntry(this.#entries.get(path))]);
    await store.write({ kind: isBase ? "base" : kind, turn, at: await lastEvent(), changes });
    this.#changed.clear();
  }

  #readRepositoryOnce: Promise<void> | undefined;

  async #readRepository(): Promise<void> {
    // One reading at a time: looks and comparisons may want it at once.
    this.#readRepositoryOnce ??= this.#readRepositoryNow().finally(() => {
      this.#readRepositoryOnce = undefined;
    });
    await this.#readRepositoryOnce;
  }

  async #readRepositoryNow(): Promise<void> {
    const { files, root, configFiles } = this.#parts;
    const stamp = await repositoryStamp(files, root);
    if (stamp === this.#stamp) return;
    try {
      const pause = this.#pausing(new AbortController().signal);
      this.#repository = await openRepository(files, root, configFiles, pause);
    } catch (thrown) {
      this.#repository = undefined; // everything is copied then
      const { log } = this.#parts.world;
      log.for("checkpoint").write("warn", "the repository cannot be read", { what: messageOf(thrown) });
    }
    this.#stamp = stamp;
  }

  #refresh(paths: readonly string[], by: ChangedBy): void {
    const { tree } = this.#parts;
    for (const path of paths) {
      const [root, below] = this.#place(path);
      for (const at of path.startsWith("/") ? [] : foldersAbove(path)) {
        if (this.#entries.get(at)?.kind !== "directory") this.#refresh([at], by);
      }
      const stat = tree.stat(root, below);
      this.#take({ path, ...(stat === undefined ? {} : { stat }), sure: false }, by);
    }
  }

  #place(path: string): readonly [root: string, below: string] {
    return path.startsWith("/") ? ["/", path.slice(1)] : [this.#parts.root, path];
  }

  #takeMissing(seen: ReadonlySet<string>, by: ChangedBy): void {
    for (const [path, entry] of [...this.#entries]) {
      if (entry.kind === "other" && LEFT_OUT.has(entry.why)) continue;
      if (!seen.has(path) && !path.startsWith("/")) this.#refresh([path], by);
    }
  }

  #takeLeft(by: ChangedBy): void {
    const isThere = (folder: string) => folder === "" || this.#entries.get(folder)?.kind === "directory";
    const left = new Map(
      [...this.#selection.left()]
        .filter(({ path }) => isThere(parentOf(path)))
        .map(({ path, why }) => [path, why]),
    );
    for (const [path, why] of left) this.#set(path, { kind: "other", why }, by);
    for (const [path, entry] of this.#entries) {
      if (entry.kind === "other" && LEFT_OUT.has(entry.why) && !left.has(path))
        this.#set(path, undefined, by);
    }
  }

  #take(change: NodeChange, by: ChangedBy): void {
    const entry = this.#seen(change);
    if (entry !== "same") this.#set(change.path, entry, by);
  }

  #seen({ path, stat, sure }: NodeChange): Entry | undefined | "same" {
    switch (stat?.kind) {
      case undefined:
        return undefined;
      case "directory":
        return { kind: "directory", mode: stat.mode };
      case "symlink":
        return this.#link(path);
      case "other":
        return { kind: "other", why: "no file" };
      case "file":
        return this.#file(path, stat, sure);
    }
  }

  #link(path: string): Entry | undefined {
    try {
      return { kind: "symlink", target: this.#parts.tree.readLink(...this.#place(path)) };
    } catch {
      return undefined; // it went meanwhile
    }
  }

  #file(path: string, stat: NodeStat, sure: boolean): Entry | "same" {
    const before = this.#entries.get(path);
    const now = fileStat(stat, sure);
    if (before?.kind === "file") {
      if (sameStat(before.stat, now)) return "same";
      if (before.stat.size === now.size && this.#holds(path, before.content)) {
        const same: Entry = { ...before, stat: now };
        const isTold = before.content.kind !== "missing" || before.stat.mode !== now.mode;
        if (isTold) return same;
        this.#entries.set(path, same);
        return "same";
      }
    }
    const tracked = this.#repository?.entry(path);
    const isClean = tracked !== undefined && sure && this.#repository?.isClean(tracked, stat) === true;
    const content: Content = isClean ? { kind: "git", object: tracked.object } : this.#pending(path, sure);
    return { kind: "file", stat: now, content };
  }

  /** Where the times of a file would not show its next change, that is to be seen by its content. */
  #pending(path: string, sure: boolean): Content {
    const bytes = sure ? undefined : this.#read(path);
    return bytes === undefined ? PENDING : { ...PENDING, print: this.#parts.store.name(bytes) };
  }

  #set(path: string, entry: Entry | undefined, by: ChangedBy): void {
    const before = this.#entries.get(path);
    if (entry === undefined) this.#entries.delete(path);
    else this.#entries.set(path, entry);
    if (entry?.kind === "file" && isPending(entry.content)) this.#unkept.add(path);
    else this.#unkept.delete(path);
    if (sameEntry(before, entry)) return;
    const other = this.#changed.get(path);
    this.#changed.set(path, other === undefined || other === by ? by : "both");
  }

  /** A content was found for a file: who changed it stays as it is. */
  #settle(path: string, entry: Extract<Entry, { kind: "file" }>, content: Content): void {
    this.#entries.set(path, { ...entry, content });
    this.#unkept.delete(path);
  }

  #holds(path: string, content: Content): boolean {
    if (content.kind === "missing" && content.print === undefined) return false;
    const bytes = this.#read(path);
    if (bytes === undefined) return false;
    if (content.kind === "git") return blobName(bytes) === content.object;
    return this.#parts.store.name(bytes) === (content.kind === "kept" ? content.name : content.print);
  }

  /** Undefined where it cannot be read, or is too large. */
  #read(path: string): Uint8Array | undefined {
    try {
      const bytes = this.#parts.tree.read(...this.#place(path), FILE_BYTES_MAX + 1);
      return bytes.length > FILE_BYTES_MAX ? undefined : bytes;
    } catch {
      return undefined; // gone, replaced by something else, or not ours to read
    }
  }

  /** Lets other work run once enough was done. */
  #pausing(signal: AbortSignal): () => Promise<void> {
    const { tree, world } = this.#parts;
    let sliceEnd = world.clock.monotonic() + SLICE_MS;
    return async () => {
      if (world.clock.monotonic() < sliceEnd) return;
      await tree.pause(signal);
      sliceEnd = world.clock.monotonic() + SLICE_MS;
    };
  }

  async #keepAll(signal: AbortSignal): Promise<void> {
    const { store } = this.#parts;
    const pause = this.#pausing(signal);
    this.#room ??= this.#unkept.size === 0 ? undefined : await this.#parts.room();
    const files = [...this.#unkept].flatMap((path) => {
      const entry = this.#entries.get(path);
      return entry?.kind === "file" ? [{ path, entry }] : [];
    });
    files.sort((a, b) => a.entry.stat.size - b.entry.stat.size);
    for (const { path, entry } of files) {
      if (entry.stat.size > FILE_BYTES_MAX) {
        this.#settle(path, entry, TOO_LARGE);
        continue;
      }
      const content = this.#read(path);
      if (content === undefined) {
        this.#settle(path, entry, { kind: "missing", why: "it cannot be read" });
        continue;
      }
      await pause();
      this.#settle(path, entry, await this.#kept(path, content, store));
      await pause();
    }
  }

  async #kept(path: string, content: Uint8Array, store: CheckpointStore): Promise<Content> {
    const tracked = this.#repository?.entry(path);
    if (tracked !== undefined && blobName(content) === tracked.object) {
      return { kind: "git", object: tracked.object };
    }
    const name = store.name(content);
    const room = this.#room ?? 0;
    if (!store.has(name) && content.length > room) return NO_ROOM;
    this.#room = room - (await store.keep(name, content));
    return { kind: "kept", name };
  }
}

function isPending(content: Content): boolean {
  return content.kind === "missing" && content.why === PENDING.why;
}

/** How things stood after some records, from the first on. */
export function entriesAfter(records: readonly StoredRecord[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const { changes } of records) {
    for (const [path, , stored] of changes) {
      const entry = openEntry(stored);
      if (entry === undefined) entries.delete(path);
      else entries.set(path, entry);
    }
  }
  return entries;
}

function foldersAbove(path: string): readonly string[] {
  const above = parentOf(path);
  return above === "" ? [] : [...foldersAbove(above), above];
}
