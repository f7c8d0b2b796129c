import { isBelow } from "../../base/files/below.ts";
import { joinPathText } from "../../base/files/path-text.ts";
import type { NodeChange, ScanOptions, TreeSnapshot } from "../../base/files/tree.ts";
import { TreeTooLarge } from "../../base/files/tree.ts";
import { listFolder } from "./tree-list.ts";
import type { OpenedFolder, PackedNames } from "./tree-stat.ts";
import {
  cPath,
  GONE,
  nodeStat,
  openForStat,
  packNames,
  STAT_WORDS,
  statWords,
  wordsAt,
} from "./tree-stat.ts";

/** Work between two pauses. */
const SLICE_MS = 5;
/** A change this shortly before a scan could be followed by another with the same time. */
const DOUBT_MS = 100;

/** One scanned folder. Unchanged ones are shared between snapshots. */
interface Folder {
  readonly path: string;
  readonly cPath: Uint8Array;
  /** Its numbers; all zero if another change could have the same time. */
  readonly words: Uint32Array;
  readonly folders: readonly string[];
  /** Files, links and the rest. */
  readonly names: readonly string[];
  readonly packed: PackedNames;
  readonly stats: Uint32Array;
}

class HostSnapshot implements TreeSnapshot {
  changes: NodeChange[] = [];
  readonly folders = new Map<string, Folder>();
  entries = 0;

  /** Keeps the earlier entries of a folder that exists and cannot be read. */
  keepUnread(path: string, words: Uint32Array, before: ReadonlyMap<string, Folder>): void {
    const stat = nodeStat(words, 0);
    if (stat?.kind !== "directory") return;
    const known = before.get(path);
    if (path !== "" && (known?.words[0] ?? GONE) !== words[0]) this.changes.push({ path, stat, sure: true });
    for (const [at, folder] of before) {
      if (at === path) this.folders.set(path, { ...folder, words: Uint32Array.of(words[0] ?? 0) });
      else if (isBelow(path, at)) this.folders.set(at, folder);
    }
  }

  /** Adds the folders that were removed. A removed path is not reported otherwise. */
  ending(before: ReadonlyMap<string, Folder>): this {
    const changes = [...goneFolders(before, this.folders), ...this.changes];
    const there = changes.every(({ stat }) => stat !== undefined)
      ? undefined
      : new Set(changes.flatMap(({ path, stat }) => (stat === undefined ? [] : [path])));
    this.changes = changes.filter(({ path, stat }) => stat !== undefined || there?.has(path) !== true);
    return this;
  }
}

/** Implements `Tree.look` on this machine. */
export async function scanTree(
  root: string,
  { since, entriesMax, select }: ScanOptions,
  pause: () => Promise<void>,
): Promise<TreeSnapshot> {
  const before = since instanceof HostSnapshot ? since.folders : new Map<string, Folder>();
  const seen = new HostSnapshot();
  const doubtSeconds = (Date.now() - DOUBT_MS) / 1000;
  const isSure = (words: Uint32Array, at: number) =>
    (words[at + 5] ?? 0) + (words[at + 6] ?? 0) / 1e9 < doubtSeconds;
  const open = [""];
  let sliceEnd = performance.now() + SLICE_MS;
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const known = before.get(path);
    const at = joinPathText(root, path);
    const named = known?.cPath ?? cPath(at);
    const folder = scanFolder({ at, path, named }, { known, isSure, select });
    if (folder === undefined) {
      seen.keepUnread(path, statWords(at), before);
      continue;
    }
    tellFolder(seen.changes, folder, known);
    statFolder(seen.changes, { folder, known, isSure });
    seen.folders.set(path, folder);
    seen.entries += folder.names.length + 1;
    if (seen.entries > entriesMax) throw new TreeTooLarge(root, entriesMax);
    for (let at = folder.folders.length - 1; at >= 0; at -= 1)
      open.push(joinPathText(path, folder.folders[at] ?? ""));
    if (performance.now() < sliceEnd) continue;
    await pause();
    sliceEnd = performance.now() + SLICE_MS;
  }
  return seen.ending(before);
}

function goneFolders(
  before: ReadonlyMap<string, Folder>,
  now: ReadonlyMap<string, Folder>,
): readonly NodeChange[] {
  return [...before].flatMap(([path, { names, stats }]) => {
    if (now.has(path)) return [];
    const existing = names.filter((_, index) => stats[index * STAT_WORDS] !== GONE);
    return [
      { path, sure: true },
      ...existing.map((name) => ({ path: joinPathText(path, name), sure: true })),
    ];
  });
}

interface ScanContext {
  readonly known: Folder | undefined;
  readonly isSure: (words: Uint32Array, at: number) => boolean;
  readonly select: ScanOptions["select"];
}

interface TreeEntry {
  readonly at: string;
  readonly path: string;
  readonly named: Uint8Array;
}

interface OpenTreeEntry extends TreeEntry {
  readonly handle: OpenedFolder;
}

/** Returns undefined if there is no folder, or it cannot be read. */
function scanFolder(place: TreeEntry, seeing: ScanContext): Folder | undefined {
  const { known } = seeing;
  // A folder that contains only folders, and is unchanged, need not be opened.
  if (known?.names.length === 0 && sameWords(known.words, wordsAt(place.at, place.named), 0)) return known;
  const handle = openForStat(place.at, place.named);
  if (handle === undefined) return undefined;
  try {
    const folder = seeFolder({ ...place, handle }, seeing);
    if (folder !== undefined) handle.statInto(folder.names, folder.packed, folder.stats);
    return folder;
  } finally {
    handle.close();
  }
}

/** Returns a folder with its names: those of the earlier snapshot if nothing was added, removed or renamed since. */
function seeFolder(
  { at, path, named, handle }: OpenTreeEntry,
  { known, isSure, select }: ScanContext,
): Folder | undefined {
  const now = handle.words;
  if (known !== undefined && sameWords(known.words, now, 0)) {
    const { folders, names, packed } = known;
    return {
      path,
      cPath: named,
      words: known.words,
      folders,
      names,
      packed,
      stats: new Uint32Array(known.stats.length),
    };
  }
  const entries = listFolder(at, handle.descriptor);
  if (entries === undefined) return undefined;
  const words = isSure(now, 0) ? now : Uint32Array.of(now[0] ?? 0);
  const selectedEntries = select(path, entries);
  const names = selectedEntries.filter(({ kind }) => kind !== "directory").map(({ name }) => name);
  const folders = selectedEntries.filter(({ kind }) => kind === "directory").map(({ name }) => name);
  const stats = new Uint32Array(names.length * STAT_WORDS);
  return { path, cPath: named, words, folders, names, packed: packNames(names), stats };
}

function tellFolder(changes: NodeChange[], folder: Folder, known: Folder | undefined): void {
  if (folder.path === "" || (folder.words[0] ?? 0) === (known?.words[0] ?? 0)) return;
  const stat = nodeStat(
    folder.words.length === 1 ? Uint32Array.of(folder.words[0] ?? 0, 0, 0, 0, 0, 0, 0, 0) : folder.words,
    0,
  );
  changes.push({ path: folder.path, ...(stat === undefined ? {} : { stat }), sure: true });
}

interface Statting {
  readonly folder: Folder;
  readonly known: Folder | undefined;
  readonly isSure: (words: Uint32Array, at: number) => boolean;
}

function statFolder(changes: NodeChange[], { folder, known, isSure }: Statting): void {
  const { names, stats, path } = folder;
  const places = known === undefined || known.names === names ? undefined : placesOf(known);
  for (const [index, name] of names.entries()) {
    const here = index * STAT_WORDS;
    const there = (places === undefined ? index : (places.get(name) ?? -1)) * STAT_WORDS;
    places?.delete(name);
    if (known !== undefined && there >= 0 && sameStats(stats, here, known.stats, there)) continue;
    const stat = nodeStat(stats, here);
    const sure = isSure(stats, here);
    if (stat !== undefined || (known !== undefined && there >= 0 && known.stats[there] !== GONE)) {
      changes.push({ path: joinPathText(path, name), ...(stat === undefined ? {} : { stat }), sure });
    }
    // An inode that no file has: the next scan reports it again.
    if (stat !== undefined && !sure) stats[here + 7] = 0;
  }
  for (const [name, index] of places ?? []) {
    if (known?.stats[index * STAT_WORDS] !== GONE)
      changes.push({ path: joinPathText(path, name), sure: true });
  }
}

function placesOf(folder: Folder): Map<string, number> {
  return new Map(folder.names.map((name, index) => [name, index]));
}

function sameWords(known: Uint32Array, now: Uint32Array, at: number): boolean {
  return known.length === STAT_WORDS && sameStats(known, 0, now, at);
}

function sameStats(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  // The time of the last change and the inode first: they show nearly all differences.
  for (let word = STAT_WORDS - 1; word >= 0; word -= 1) if (a[atA + word] !== b[atB + word]) return false;
  return true;
}
