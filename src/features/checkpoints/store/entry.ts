import type { NodeStat } from "../../../base/files/tree.ts";

/** Source of a file's content. */
export type Content =
  /** An object of the repository. */
  | { readonly kind: "git"; readonly object: string }
  /** Stored by cinch, under a name that is derived from the content and a key. */
  | { readonly kind: "kept"; readonly name: string }
  | {
      readonly kind: "missing";
      readonly why: string;
      /** Fingerprint of a content that still has to be stored. */
      readonly print?: string;
    };

/** State of one path. */
export type Entry =
  | { readonly kind: "file"; readonly stat: FileStat; readonly content: Content }
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "directory"; readonly mode: number }
  /** A folder that is not scanned, or something that is not a file. */
  | { readonly kind: "other"; readonly why: string };

/** Parts of a file's stat that show whether it changed. */
export interface FileStat {
  readonly mode: number;
  readonly size: number;
  /** Modified, changed, inode; "" if these would not show a change. */
  readonly stamp: string;
}

export function fileStat(stat: NodeStat, sure: boolean): FileStat {
  const { mode, size, modified, changed, inode } = stat;
  if (!sure) return { mode, size, stamp: "" };
  const times = `${modified.seconds} ${modified.nanoseconds} ${changed.seconds} ${changed.nanoseconds}`;
  return { mode, size, stamp: `${times} ${inode}` };
}

export function sameStat(a: FileStat, b: FileStat): boolean {
  return a.stamp !== "" && a.stamp === b.stamp && a.size === b.size && a.mode === b.mode;
}

/** Returns true if restoring a path from one to the other would change nothing. */
export function sameEntry(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === "file" && b.kind === "file")
    return a.stat.mode === b.stat.mode && sameContent(a.content, b.content);
  if (a.kind === "symlink" && b.kind === "symlink") return a.target === b.target;
  if (a.kind === "directory" && b.kind === "directory") return a.mode === b.mode;
  return a.kind === b.kind;
}

export function sameContent(a: Content, b: Content): boolean {
  if (a.kind === "git" && b.kind === "git") return a.object === b.object;
  return a.kind === "kept" && b.kind === "kept" && a.name === b.name;
}

/** An entry in stored form. Null stands for a path where nothing exists. */
export type StoredEntry = readonly (string | number)[] | null;

export function packEntry(entry: Entry | undefined): StoredEntry {
  switch (entry?.kind) {
    case undefined:
      return null;
    case "file": {
      const { stat, content } = entry;
      const value =
        content.kind === "git" ? content.object : content.kind === "kept" ? content.name : content.why;
      return ["f", stat.mode, stat.size, stat.stamp, content.kind, value];
    }
    case "symlink":
      return ["l", entry.target];
    case "directory":
      return ["d", entry.mode];
    case "other":
      return ["o", entry.why];
  }
}

export function unpackEntry(stored: StoredEntry): Entry | undefined {
  if (stored === null) return undefined;
  const [kind, first, size, stamp, from, value] = stored;
  switch (kind) {
    case "f":
      return {
        kind: "file",
        stat: { mode: Number(first), size: Number(size), stamp: String(stamp) },
        content: openContent(String(from), String(value)),
      };
    case "l":
      return { kind: "symlink", target: String(first) };
    case "d":
      return { kind: "directory", mode: Number(first) };
    default:
      return { kind: "other", why: String(first) };
  }
}

function openContent(kind: string, value: string): Content {
  if (kind === "git") return { kind, object: value };
  return kind === "kept" ? { kind, name: value } : { kind: "missing", why: value };
}
