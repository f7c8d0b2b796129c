import type { NodeChange, NodeStat, Tree } from "../../../base/files/tree.ts";
import { blobName } from "../git/git-objects.ts";
import type { GitRepository } from "../git/git-repository.ts";
import { RECORDED_FILE_BYTES_MAX } from "../recording-limits.ts";
import type { CheckpointStore } from "../store/checkpoint-store.ts";
import { pendingContent } from "../store/entries.ts";
import type { Content, Entry } from "../store/entry.ts";
import { fileStat, sameStat } from "../store/entry.ts";
import { splitRoot } from "./paths.ts";

export interface FileSnapshotsDependencies {
  readonly tree: Tree;
  readonly root: string;
  readonly store: CheckpointStore;
  readonly repository: () => GitRepository | undefined;
}

/** Makes entries of what is found at a path and what is known of it. */
export class FileSnapshots {
  readonly #dependencies: FileSnapshotsDependencies;

  constructor(dependencies: FileSnapshotsDependencies) {
    this.#dependencies = dependencies;
  }

  entryOf({ path, stat, sure }: NodeChange, before: Entry | undefined): Entry | undefined {
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
        return this.#file({ path, stat, sure }, before);
    }
  }

  /** Returns undefined if it cannot be read, or is too large. */
  read(path: string): Uint8Array | undefined {
    try {
      const bytes = this.#dependencies.tree.read(...this.#place(path), RECORDED_FILE_BYTES_MAX + 1);
      return bytes.length > RECORDED_FILE_BYTES_MAX ? undefined : bytes;
    } catch {
      return undefined; // gone, replaced by something else, or not readable by this user
    }
  }

  #place(path: string): readonly [root: string, below: string] {
    return splitRoot(this.#dependencies.root, path);
  }

  #link(path: string): Entry | undefined {
    try {
      return { kind: "symlink", target: this.#dependencies.tree.readLink(...this.#place(path)) };
    } catch {
      return undefined; // removed meanwhile
    }
  }

  #file({ path, stat, sure }: SeenFile, before: Entry | undefined): Entry {
    const now = fileStat(stat, sure);
    if (before?.kind === "file") {
      if (sameStat(before.stat, now)) return before;
      if (before.stat.size === now.size && this.#holds(path, before.content)) return { ...before, stat: now };
    }
    const repository = this.#dependencies.repository();
    const tracked = repository?.entry(path);
    const isClean = tracked !== undefined && sure && repository?.isClean(tracked, stat) === true;
    const content: Content = isClean ? { kind: "git", object: tracked.object } : this.#pending(path, sure);
    return { kind: "file", stat: now, content };
  }

  /**
   * Returns a content still to be stored. If the times of the file would not show its next change, it is recognised
   * by content.
   */
  #pending(path: string, sure: boolean): Content {
    const bytes = sure ? undefined : this.read(path);
    return pendingContent(bytes === undefined ? undefined : this.#dependencies.store.name(bytes));
  }

  #holds(path: string, content: Content): boolean {
    if (content.kind === "missing" && content.print === undefined) return false;
    const bytes = this.read(path);
    if (bytes === undefined) return false;
    if (content.kind === "git") return blobName(bytes) === content.object;
    return this.#dependencies.store.name(bytes) === (content.kind === "kept" ? content.name : content.print);
  }
}

interface SeenFile {
  readonly path: string;
  readonly stat: NodeStat;
  readonly sure: boolean;
}
