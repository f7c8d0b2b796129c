import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathText } from "../base/path-text.ts";
import type { Look, LookOptions, NamedNode, NodeChange } from "../base/tree.ts";
import { TreeTooLarge } from "../base/tree.ts";
import type { PackedNames } from "./tree-stat.ts";
import {
  direntKind,
  GONE,
  isGone,
  native,
  nodeStat,
  packNames,
  STAT_WORDS,
  statInto,
  statWords,
} from "./tree-stat.ts";

/** Work between two pauses. */
const SLICE_MS = 5;
/** A change that came so shortly before a look could be followed by another that bears the same time. */
const DOUBT_MS = 100;

/** One folder as it was seen. Those that did not change are shared between looks. */
interface Folder {
  readonly path: string;
  /** Its own numbers; all zero where another change could bear the same time. */
  readonly words: Uint32Array;
  readonly folders: readonly string[];
  /** Files, links and the rest. */
  readonly names: readonly string[];
  readonly packed: PackedNames;
  readonly stats: Uint32Array;
}

class HostLook implements Look {
  readonly changes: NodeChange[] = [];
  readonly folders = new Map<string, Folder>();
  entries = 0;
}

/** `Tree.look` on this machine. */
export async function look(
  root: string,
  { since, entriesMax, select }: LookOptions,
  pause: () => Promise<void>,
): Promise<Look> {
  const before = since instanceof HostLook ? since.folders : new Map<string, Folder>();
  const seen = new HostLook();
  const doubtSeconds = (Date.now() - DOUBT_MS) / 1000;
  const isSure = (words: Uint32Array, at: number) =>
    (words[at + 5] ?? 0) + (words[at + 6] ?? 0) / 1e9 < doubtSeconds;
  const open = [""];
  let sliceEnd = performance.now() + SLICE_MS;
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const known = before.get(path);
    const folder = seeFolder(join(root, path), path, { known, isSure, select });
    if (folder === undefined) continue;
    seen.folders.set(path, folder);
    seen.entries += folder.names.length + 1;
    if (seen.entries > entriesMax) throw new TreeTooLarge(root, entriesMax);
    tellFolder(seen.changes, folder, known);
    statFolder(seen.changes, join(root, path), { folder, known, isSure });
    for (let at = folder.folders.length - 1; at >= 0; at -= 1)
      open.push(below(path, folder.folders[at] ?? ""));
    if (performance.now() < sliceEnd) continue;
    await pause();
    sliceEnd = performance.now() + SLICE_MS;
  }
  // What is gone comes first: something else may stand at its path now.
  seen.changes.unshift(...goneFolders(before, seen.folders));
  return seen;
}

function goneFolders(
  before: ReadonlyMap<string, Folder>,
  now: ReadonlyMap<string, Folder>,
): readonly NodeChange[] {
  return [...before].flatMap(([path, { names, stats }]) => {
    if (now.has(path)) return [];
    const gone = names.filter((_, index) => stats[index * STAT_WORDS] !== GONE);
    return [{ path, sure: true }, ...gone.map((name) => ({ path: below(path, name), sure: true }))];
  });
}

interface Seeing {
  readonly known: Folder | undefined;
  readonly isSure: (words: Uint32Array, at: number) => boolean;
  readonly select: LookOptions["select"];
}

/** A folder with its names: those of the earlier look where nothing was added to it, removed or renamed since. */
function seeFolder(at: string, path: string, { known, isSure, select }: Seeing): Folder | undefined {
  const now = statWords(at);
  const words = isSure(now, 0) ? now : Uint32Array.of(now[0] ?? 0);
  if (known !== undefined && sameWords(known.words, now, 0)) {
    return { ...known, stats: new Uint32Array(known.stats.length) };
  }
  const entries = readFolder(at);
  if (entries === undefined) return undefined;
  const kept = select(path, entries);
  const names = kept.filter(({ kind }) => kind !== "directory").map(({ name }) => name);
  const folders = kept.filter(({ kind }) => kind === "directory").map(({ name }) => name);
  return {
    path,
    words,
    folders,
    names,
    packed: packNames(names),
    stats: new Uint32Array(names.length * STAT_WORDS),
  };
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

function statFolder(changes: NodeChange[], at: string, { folder, known, isSure }: Statting): void {
  const { names, stats, path } = folder;
  statInto(at, names, folder.packed, stats);
  const places = known === undefined || known.names === names ? undefined : placesOf(known);
  for (const [index, name] of names.entries()) {
    const here = index * STAT_WORDS;
    const there = (places === undefined ? index : (places.get(name) ?? -1)) * STAT_WORDS;
    places?.delete(name);
    if (known !== undefined && there >= 0 && sameStats(stats, here, known.stats, there)) continue;
    const stat = nodeStat(stats, here);
    const sure = isSure(stats, here);
    if (stat !== undefined || (known !== undefined && there >= 0 && known.stats[there] !== GONE)) {
      changes.push({ path: below(path, name), ...(stat === undefined ? {} : { stat }), sure });
    }
    // An inode that no file has: the next look tells of it again.
    if (stat !== undefined && !sure) stats[here + 7] = 0;
  }
  for (const [name, index] of places ?? []) {
    if (known?.stats[index * STAT_WORDS] !== GONE) changes.push({ path: below(path, name), sure: true });
  }
}

function placesOf(folder: Folder): Map<string, number> {
  return new Map(folder.names.map((name, index) => [name, index]));
}

function sameWords(known: Uint32Array, now: Uint32Array, at: number): boolean {
  return known.length === STAT_WORDS && sameStats(known, 0, now, at);
}

function sameStats(a: Uint32Array, atA: number, b: Uint32Array, atB: number): boolean {
  // The time of the last change and the inode first: they tell nearly all differences.
  for (let word = STAT_WORDS - 1; word >= 0; word -= 1) if (a[atA + word] !== b[atB + word]) return false;
  return true;
}

export function below(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

/** Undefined where there is no folder, or none that may be read. */
export function readFolder(path: string): readonly NamedNode[] | undefined {
  try {
    const entries = readdirSync(native(path), { withFileTypes: true });
    // The runtime gives names as text: one that is no UTF-8 has lost bytes.
    if (entries.some(({ name }) => name.includes("\ufffd"))) return readBytes(path);
    return entries.map((entry) => ({ name: entry.name, kind: direntKind(entry) }));
  } catch (thrown) {
    if (isGone(thrown) || (thrown instanceof Error && Reflect.get(thrown, "code") === "EACCES"))
      return undefined;
    throw thrown;
  }
}

function readBytes(path: string): readonly NamedNode[] {
  return readdirSync(native(path), { encoding: "buffer" }).flatMap((bytes) => {
    const name = pathText(bytes);
    const stat = nodeStat(statWords(join(path, name)), 0);
    return stat === undefined ? [] : [{ name, kind: stat.kind }];
  });
}
