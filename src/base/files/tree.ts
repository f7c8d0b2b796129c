import type { FileKind } from "../world.ts";

/**
 * A folder tree, scanned and changed by paths below its root, without following links below it.
 *
 * Paths are relative, with `/` between names, "" for the root itself; names are texts of `pathText`. An access to a
 * path whose folder was replaced by a link fails with `PathMoved`. Changes refuse a path that is empty, absolute, or
 * contains `.` or `..`.
 */
export interface Tree {
  /**
   * Scans everything below a root, in slices that let other work run. With an earlier snapshot, unchanged folders are
   * not read again, and only differences are returned.
   * @throws TreeTooLarge above `entriesMax`; the signal's reason.
   */
  scan(root: string, options: ScanOptions, signal: AbortSignal): Promise<TreeSnapshot>;
  /** Returns undefined if nothing exists there. Nothing exists below a link or a file. */
  stat(root: string, path: string): NodeStat | undefined;
  /** Counts the entries below a folder; stops at `max`. */
  count(root: string, path: string, max: number): number;
  /** Reads the first `bytesMax` bytes of a regular file. @throws PathMoved if it is none. */
  read(root: string, path: string, bytesMax: number): Uint8Array;
  /** Returns the target as stored in the link. */
  readLink(root: string, path: string): string;
  /**
   * Writes a file or link in one step, replacing an existing file or link. Missing parent folders are created. An
   * existing folder must be removed first.
   */
  put(root: string, path: string, node: NewNode): void;
  makeFolder(root: string, path: string, mode: number): void;
  setMode(root: string, path: string, mode: number): void;
  /** Removes a file, a link or an empty folder; does nothing if it does not exist. */
  remove(root: string, path: string): void;
  /** Lets other work run. */
  pause(signal: AbortSignal): Promise<void>;
}

export type NewNode =
  | { readonly kind: "file"; readonly content: Uint8Array; readonly mode: number }
  | { readonly kind: "symlink"; readonly target: string };

/** State of one entry, exact enough to detect any change. */
export interface NodeStat {
  readonly kind: FileKind;
  /** The permission bits. */
  readonly mode: number;
  readonly size: number;
  readonly modified: Instant;
  /** Time of the last change of any kind; no program can set it. */
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

export interface ScanOptions {
  readonly since?: TreeSnapshot;
  readonly entriesMax: number;
  /** Selects the entries to scan from those of a folder. */
  readonly select: (folder: string, entries: readonly NamedNode[]) => readonly NamedNode[];
}

/** State of a tree at one time. */
export interface TreeSnapshot {
  /** Differences from the earlier snapshot, removed entries first; everything if there was none. */
  readonly changes: readonly NodeChange[];
  readonly entries: number;
}

export interface NodeChange {
  readonly path: string;
  /** Undefined: it no longer exists. */
  readonly stat?: NodeStat;
  /**
   * True if a change of its content would show in `stat`. False if it changed so recently that another change could
   * have the same time.
   */
  readonly sure: boolean;
}

/** A tree with more entries than the limit. */
export class TreeTooLarge extends Error {
  override readonly name = "TreeTooLarge";
  constructor(root: string, entriesMax: number) {
    super(`${root} has more than ${entriesMax} entries`);
  }
}
