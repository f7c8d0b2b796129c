import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { assert } from "../../base/assert.ts";
import { nextTurn } from "../../base/async/next-turn.ts";
import { baseName, joinPathText, parentFolder, pathText } from "../../base/files/path-text.ts";
import type { NewNode, NodeStat, Tree } from "../../base/files/tree.ts";
import { codeOf, PathMoved } from "../../base/world.ts";
import { hostRandom } from "../random.ts";
import { listFolder } from "./tree-list.ts";
import { scanTree } from "./tree-scan.ts";
import { isGone, native, nodeStat, statWords } from "./tree-stat.ts";

const O_PATH = 0x20_0000;
/** See `resolved-files.ts`: an open folder can be named there, wherever its path leads. */
const HANDLES_HAVE_PATHS = process.platform === "linux";
const FOLDER_MODE = 0o755;

/** The machine's trees. Not part of the world: loaded only where needed. */
export const hostTree: Tree = {
  scan: (root, options, signal) => scanTree(root, options, () => pause(signal)),
  stat,
  count,
  read,
  readLink(root, path) {
    using parent = openFolder(parentFolder(joinPathText(root, path)));
    return pathText(readlinkSync(native(parent.at(baseName(path))), { encoding: "buffer" }));
  },
  put,
  makeFolder(root, path, mode) {
    assertBelow(root, path);
    using parent = openParents(parentFolder(joinPathText(root, path)));
    const here = parent.at(baseName(path));
    if (nodeStat(statWords(here), 0)?.kind !== "directory") mkdirSync(native(here));
    changeMode(here, mode);
  },
  setMode(root, path, mode) {
    assertBelow(root, path);
    using parent = openFolder(parentFolder(joinPathText(root, path)));
    changeMode(parent.at(baseName(path)), mode);
  },
  remove(root, path) {
    assertBelow(root, path);
    try {
      using parent = openFolder(parentFolder(joinPathText(root, path)));
      const here = parent.at(baseName(path));
      const stat = nodeStat(statWords(here), 0);
      if (stat?.kind === "directory") rmdirSync(native(here));
      else if (stat !== undefined) unlinkSync(native(here));
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT") throw thrown;
    }
  },
  pause,
};

async function pause(signal: AbortSignal): Promise<void> {
  await nextTurn();
  signal.throwIfAborted();
}

function stat(root: string, path: string): NodeStat | undefined {
  if (path === "") return nodeStat(statWords(root), 0);
  const whole = joinPathText(root, path);
  try {
    using parent = openFolder(parentFolder(whole));
    return nodeStat(statWords(parent.at(baseName(whole))), 0);
  } catch (thrown) {
    if (thrown instanceof PathMoved || isGone(thrown)) return undefined;
    throw thrown;
  }
}

function count(root: string, path: string, max: number): number {
  const open = [joinPathText(root, path)];
  let found = 0;
  for (let folder = open.pop(); folder !== undefined && found < max; folder = open.pop()) {
    for (const { name, kind } of listFolder(folder) ?? []) {
      found += 1;
      if (kind === "directory") open.push(joinPathText(folder, name));
    }
  }
  return Math.min(found, max);
}

function read(root: string, path: string, bytesMax: number): Uint8Array {
  const whole = joinPathText(root, path);
  // O_NONBLOCK: opening a FIFO that replaced the file must not wait for a writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = movedOnLink(whole, () => openSync(native(whole), flags));
  try {
    checkPath(file, whole);
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new PathMoved(whole);
    const bytes = new Uint8Array(Math.min(bytesMax, stats.size + 1));
    let filled = 0;
    while (filled < bytes.length) {
      const count = readSync(file, bytes, filled, bytes.length - filled, filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

/** Checks the text of a path that is to be changed: it must lead below its root. */
function assertBelow(root: string, path: string): void {
  assert(root.startsWith("/"), "a tree has an absolute root");
  const isBelow = path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
  assert(isBelow, "a path leads below its root");
}

/** Changes a file or folder, never through a link, even one created concurrently. */
function changeMode(path: string, mode: number): void {
  if (!HANDLES_HAVE_PATHS) {
    const kind = nodeStat(statWords(path), 0)?.kind;
    if (kind !== "file" && kind !== "directory") throw new PathMoved(path);
    chmodSync(native(path), mode);
    return;
  }
  const handle = movedOnLink(path, () => openSync(native(path), O_PATH | constants.O_NOFOLLOW));
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile() && !stats.isDirectory()) throw new PathMoved(path);
    chmodSync(`/proc/self/fd/${handle}`, mode);
  } finally {
    closeSync(handle);
  }
}

function put(root: string, path: string, node: NewNode): void {
  assertBelow(root, path);
  const whole = joinPathText(root, path);
  using parent = openParents(parentFolder(whole));
  const target = parent.at(baseName(whole));
  if (nodeStat(statWords(target), 0)?.kind === "directory") throw new PathMoved(whole);
  const temporary = parent.at(`.${hostRandom.bytes(8).toHex()}.cinch-tmp`);
  try {
    if (node.kind === "symlink") symlinkSync(native(node.target), native(temporary));
    else writeNew(temporary, node.content, node.mode);
    parent.check();
    renameSync(native(temporary), native(target));
  } catch (thrown) {
    removeIfThere(temporary);
    throw thrown;
  }
}

function writeNew(path: string, content: Uint8Array, mode: number): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = openSync(native(path), flags, 0o600);
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(native(path));
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}

/** An open folder whose entries are named through its handle. */
interface Parent extends Disposable {
  at(name: string): string;
  check(): void;
}

/** Creates the folder and its parents if missing. */
function openParents(path: string): Parent {
  try {
    return openFolder(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || parentFolder(path) === path) throw thrown;
  }
  using above = openParents(parentFolder(path));
  try {
    mkdirSync(native(above.at(baseName(path))), FOLDER_MODE);
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown; // another process created it: it is checked like any other
  }
  return openFolder(path);
}

function openFolder(path: string): Parent {
  const access = HANDLES_HAVE_PATHS ? O_PATH : constants.O_RDONLY;
  const flags = access | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const handle = movedOnLink(path, () => openSync(native(path), flags));
  const check = () => checkPath(handle, path);
  try {
    check();
  } catch (thrown) {
    closeSync(handle);
    throw thrown;
  }
  return {
    at: (name) => (HANDLES_HAVE_PATHS ? `/proc/self/fd/${handle}/${name}` : joinPathText(path, name)),
    check,
    [Symbol.dispose]: () => closeSync(handle),
  };
}

function checkPath(handle: number, path: string): void {
  const actual = HANDLES_HAVE_PATHS
    ? pathText(readlinkSync(`/proc/self/fd/${handle}`, { encoding: "buffer" }))
    : pathText(realpathSync(native(path), { encoding: "buffer" }));
  if (actual !== path) throw new PathMoved(path);
}

function movedOnLink(path: string, act: () => number): number {
  try {
    return act();
  } catch (thrown) {
    if (isGone(thrown) && codeOf(thrown) !== "ENOENT") throw new PathMoved(path, { cause: thrown });
    throw thrown;
  }
}
