import type { FileKind } from "../world.ts";

/**
 * A whole folder of files, seen and changed by paths below its root, without following a link anywhere below it.
 *
 * Paths are relative, with `/` between names, "" for the root itself; names are texts of `pathText`. What is asked of a
 * path whose folder was replaced by a link meanwhile fails with `PathMoved`. What changes something refuses a path that is
 * empty, absolute, or holds `.` or `..`.
 */
export interface Tree {
  /**
   * Looks at everything below a root, in slices that let other work run. With an earlier look, folders that did not
   * change are not read again, and only differences are told.
   * @throws TreeTooLarge above `entriesMax`; the signal's reason.
   */
  look(root: string, options: LookOptions, signal: AbortSignal): Promise<Look>;
  /** Undefined where nothing is; nothing is below a link, or below a file. */
  stat(root: string, path: string): NodeStat | undefined;
  /** How many entries are below a folder; counting ends at `max`. */
  count(root: string, path: string, max: number): number;
  /** The first `bytesMax` bytes of a regular file. @throws PathMoved where it is none. */
  read(root: string, path: string, bytesMax: number): Uint8Array;
  /** Where a link leads, as it stands in the link. */
  readLink(root: string, path: string): string;
  /**
   * Puts a file or link in its place in one step, in place of a file or link that is there; missing folders above it
   * are made. A folder that is there must exist no more.
   */
  put(root: string, path: string, node: NewNode): void;
  makeFolder(root: string, path: string, mode: number): void;
  setMode(root: string, path: string, mode: number): void;
  /** Removes a file, a link or an empty folder; nothing where nothing is. */
  remove(root: string, path: string): void;
  /** Lets other work run. */
  pause(signal: AbortSignal): Promise<void>;
}

export type NewNode =
  | { readonly kind: "file"; readonly content: Uint8Array; readonly mode: number }
  | { readonly kind: "symlink"; readonly target: string };

/** What the system says of one entry, exactly enough to see that nothing about it changed. */
export interface NodeStat {
  readonly kind: FileKind;
  /** The permission bits. */
  readonly mode: number;
  readonly size: number;
  readonly modified: Instant;
  /** When anything about it changed last; no program can set it. */
  readonly changed: Instant;
  /** The lower 32 bits. */
  readonly inode: number;
}

/** Whole seconds (their lower 32 bits) and nanoseconds. */
export interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
}

export interface NamedNode {
  readonly name: string;
  readonly kind: FileKind;
}

export interface LookOptions {
  readonly since?: Look;
  readonly entriesMax: number;
  /** Given the entries of each folder that is read: those that it gives back are looked at. */
  readonly select: (folder: string, entries: readonly NamedNode[]) => readonly NamedNode[];
}

/** How a tree was at one time. */
export interface Look {
  /** What differs from the earlier look, what is gone first; everything where there was none. */
  readonly changes: readonly NodeChange[];
  readonly entries: number;
}

export interface NodeChange {
  readonly path: string;
  /** Undefined: it is there no more. */
  readonly stat?: NodeStat;
  /**
   * Whether its content would have to show in `stat`. False where it was changed so shortly before that another change
   * could bear the same time.
   */
  readonly sure: boolean;
}

/** A tree with more entries than are looked at. */
export class TreeTooLarge extends Error {
  override readonly name = "TreeTooLarge";
  constructor(root: string, entriesMax: number) {
    super(`${root} has more than ${entriesMax} entries`);
  }
}
