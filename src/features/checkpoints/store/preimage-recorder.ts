import { blobName } from "../git/git-objects.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { RECORDED_FILE_BYTES_MAX } from "../recording-limits.ts";
import type { FileSnapshots } from "../tracking/file-snapshots.ts";
import type { CheckpointStore } from "./checkpoint-store.ts";
import type { Entries } from "./entries.ts";
import type { Content, Entry } from "./entry.ts";

/** Limits for files that are stored beside a call: the rest waits for the end of the turn. */
const BESIDE_CALL_FILES_MAX = 256;
const BESIDE_CALL_BYTES_MAX = 8 * 1024 * 1024;

const TOO_LARGE: Content = { kind: "missing", why: "larger than 16 MB" };
const UNREADABLE: Content = { kind: "missing", why: "it cannot be read" };
const NO_ROOM: Content = { kind: "missing", why: "no room for it" };

type FileEntry = Extract<Entry, { kind: "file" }>;

export interface PreimageRecorderDependencies {
  readonly entries: Entries;
  readonly snapshots: FileSnapshots;
  readonly store: CheckpointStore;
  readonly repository: () => GitRepository | undefined;
  /** Returns the bytes that may still be stored; called once, before the first is. */
  readonly room: () => Promise<number>;
}

/** Stores contents that are not stored yet, or finds them among the objects of the repository. */
export class PreimageRecorder {
  readonly #dependencies: PreimageRecorderDependencies;
  #room: number | undefined;

  constructor(dependencies: PreimageRecorderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Stores the small ones first. @throws HarnessError CheckpointUnwritable; what `pause` throws. */
  async recordAll(pause: () => Promise<void>): Promise<void> {
    const { entries } = this.#dependencies;
    const files = entries.unstored.toSorted(([, a], [, b]) => a.stat.size - b.stat.size);
    for (const [path, entry] of files) await this.#record(path, entry, pause);
  }

  /** Stores those of some paths that are not stored yet, within the limits beside a call. Errors as `recordAll`. */
  async recordSome(paths: Iterable<string>, pause: () => Promise<void>): Promise<void> {
    let [files, bytes] = [0, 0];
    for (const path of paths) {
      const entry = this.#dependencies.entries.unstoredAt(path);
      if (entry === undefined) continue;
      files += 1;
      bytes += entry.stat.size;
      if (files > BESIDE_CALL_FILES_MAX || bytes > BESIDE_CALL_BYTES_MAX) return;
      await this.#record(path, entry, pause);
    }
  }

  async #record(path: string, entry: FileEntry, pause: () => Promise<void>): Promise<void> {
    const content =
      entry.stat.size > RECORDED_FILE_BYTES_MAX ? TOO_LARGE : await this.#contentOf(path, pause);
    this.#dependencies.entries.refine(path, { ...entry, content });
    await pause();
  }

  async #contentOf(path: string, pause: () => Promise<void>): Promise<Content> {
    const { snapshots, store, repository, room } = this.#dependencies;
    const content = snapshots.read(path);
    if (content === undefined) return UNREADABLE;
    await pause();
    const tracked = repository()?.entry(path);
    if (tracked !== undefined && blobName(content) === tracked.object) {
      return { kind: "git", object: tracked.object };
    }
    const name = store.name(content);
    if (store.has(name)) return { kind: "kept", name };
    this.#room ??= await room();
    if (content.length > this.#room) return NO_ROOM;
    this.#room -= await store.keep(name, content);
    return { kind: "kept", name };
  }
}
