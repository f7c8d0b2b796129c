import { join } from "node:path";
import { decode } from "../../../base/text/text.ts";
import type { FileInfo, Files } from "../../../base/world.ts";

/** A larger index is not read: it has some hundred thousand entries. */
const INDEX_BYTES_MAX = 33_554_432;
const SUBMODULE_MODE = 0o160000;
/** "DIRC". */
const SIGNATURE = 0x44495243;
/** "link": further entries stand in another file beside the index, named by the hash that begins here. */
const SHARED_INDEX = 0x6c696e6b;
/** Bytes of an entry before its hash; two or four bytes of flags follow the hash. */
const STAT_BYTES = 40;
const EXTENDED = 0x4000;

/** Finds the submodules that the index of a git directory names, which git of the outer repository inspects. */
export interface Submodules {
  /** Returns paths below the working tree. An index that git itself could not read is not read here. */
  pathsIn(directory: string): Promise<readonly string[]>;
}

/** Reads an index again only where it has changed. */
export function submodules(files: Pick<Files, "lstat" | "openResolved">): Submodules {
  const known = new Map<string, { readonly print: string; readonly paths: readonly string[] }>();

  async function pathsIn(path: string, isShared: boolean): Promise<readonly string[]> {
    const info = await files.lstat(path);
    if (info?.kind !== "file" || info.size > INDEX_BYTES_MAX) return [];
    const print = fingerprintOf(info);
    const before = known.get(path);
    if (before?.print === print) return before.paths;
    await using file = await files.openResolved(path);
    const bytes = await file.read(0, INDEX_BYTES_MAX);
    // The hashes of a repository are all of one kind, and an index parses to its exact end only with the right one.
    const read = entriesOf(bytes, 20) ?? entriesOf(bytes, 32);
    if (read === undefined) return [];
    const more =
      read.shared === undefined || isShared ? [] : await pathsIn(sharedIndexPath(path, read.shared), true);
    const paths = [...read.paths, ...more];
    if (read.shared === undefined) known.set(path, { print, paths });
    return paths;
  }

  return {
    async pathsIn(directory) {
      try {
        return await pathsIn(join(directory, "index"), false);
      } catch {
        return []; // it is gone, or access is refused, and then git of the same user is refused too
      }
    },
  };
}

function sharedIndexPath(path: string, hash: string): string {
  return join(path, "..", `sharedindex.${hash}`);
}

interface Read {
  readonly paths: readonly string[];
  /** Hash of the index that continues this one. */
  readonly shared?: string;
}

/** Returns undefined for bytes that are no index with hashes of this length. */
function entriesOf(bytes: Uint8Array, hashBytes: number): Read | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < 12 || view.getUint32(0) !== SIGNATURE) return undefined;
  const version = view.getUint32(4);
  if (version < 2 || version > 4) return undefined;
  const paths: string[] = [];
  let name = new Uint8Array();
  let at = 12;
  for (let remainingEntries = view.getUint32(8); remainingEntries > 0; remainingEntries -= 1) {
    const flagsAt = at + STAT_BYTES + hashBytes;
    if (flagsAt + 4 > view.byteLength) return undefined;
    const start = flagsAt + ((view.getUint16(flagsAt) & EXTENDED) === 0 ? 2 : 4);
    const cut = version === 4 ? prefixCut(bytes, start) : { length: name.length, next: start };
    const end = bytes.indexOf(0, cut.next);
    if (end === -1 || cut.length > name.length) return undefined;
    name = Buffer.concat([name.subarray(0, name.length - cut.length), bytes.subarray(cut.next, end)]);
    if (view.getUint32(at + 24) === SUBMODULE_MODE) paths.push(decode(name));
    // Before version 4, an entry is padded with 1 to 8 zeros to a multiple of eight.
    at = version === 4 ? end + 1 : at + (Math.floor((end - at) / 8) + 1) * 8;
  }
  const end = view.byteLength - hashBytes;
  let shared: string | undefined;
  for (; at + 8 <= end; at += 8 + view.getUint32(at + 4)) {
    if (view.getUint32(at) === SHARED_INDEX)
      shared = Buffer.from(bytes.subarray(at + 8, at + 8 + hashBytes)).toString("hex");
  }
  if (at !== end) return undefined;
  return { paths, ...(shared === undefined ? {} : { shared }) };
}

/**
 * Reads how many bytes of the previous name are dropped, as git encodes it, and where the rest of this name starts.
 */
function prefixCut(bytes: Uint8Array, from: number): { readonly length: number; readonly next: number } {
  let at = from;
  let byte = bytes[at++] ?? 0;
  let length = byte & 0x7f;
  while ((byte & 0x80) !== 0 && at < bytes.length) {
    byte = bytes[at++] ?? 0;
    length = (length + 1) * 128 + (byte & 0x7f);
  }
  return { length, next: at };
}

function fingerprintOf({ identity, size, modifiedMs, changedMs }: FileInfo): string {
  return [identity, size, modifiedMs, changedMs].join(" ");
}
