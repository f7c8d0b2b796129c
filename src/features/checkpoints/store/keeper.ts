import { FILE_BYTES_MAX } from "../bounds.ts";
import type { Repository } from "../git/git.ts";
import { blobName } from "../git/git-objects.ts";
import type { Sight } from "../tracking/sight.ts";
import type { Entries } from "./entries.ts";
import type { Content } from "./entry.ts";
import type { CheckpointStore } from "./store.ts";

const TOO_LARGE: Content = { kind: "missing", why: "larger than 16 MB" };
const UNREADABLE: Content = { kind: "missing", why: "it cannot be read" };
const NO_ROOM: Content = { kind: "missing", why: "no room for it" };

export interface KeeperParts {
  readonly entries: Entries;
  readonly sight: Sight;
  readonly store: CheckpointStore;
  readonly repository: () => Repository | undefined;
  /** Returns the bytes that may still be stored; called once, before the first is. */
  readonly room: () => Promise<number>;
}

/** Stores contents that are not stored yet, or finds them among the objects of the repository. */
export class Keeper {
  readonly #parts: KeeperParts;
  #room: number | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Finds the files that equal an object of the repository, where their times alone do not show it. */
  async compareWithGit(pause: () => Promise<void>): Promise<void> {
    const { entries, sight, repository } = this.#parts;
    for (const [path, entry] of entries.unkept) {
      const tracked = repository()?.entry(path);
      if (tracked === undefined || entry.stat.size > FILE_BYTES_MAX) continue;
      const content = sight.read(path);
      if (content !== undefined && blobName(content) === tracked.object) {
        entries.refine(path, { ...entry, content: { kind: "git", object: tracked.object } });
      }
      await pause();
    }
  }

  /** Stores the small ones first. @throws HarnessError CheckpointUnwritable; what `pause` throws. */
  async keepAll(pause: () => Promise<void>): Promise<void> {
    const { entries } = this.#parts;
    const files = entries.unkept.toSorted(([, a], [, b]) => a.stat.size - b.stat.size);
    for (const [path, entry] of files) {
      const content = entry.stat.size > FILE_BYTES_MAX ? TOO_LARGE : await this.#kept(path, pause);
      entries.refine(path, { ...entry, content });
      await pause();
    }
  }

  async #kept(path: string, pause: () => Promise<void>): Promise<Content> {
    const { sight, store, repository, room } = this.#parts;
    const content = sight.read(path);
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
