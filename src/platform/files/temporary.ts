import type { Stats } from "node:fs";
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import { explainStorage } from "../../base/files/storage-problem.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { codeOf } from "../../base/world.ts";
import { hostMachine } from "../machine.ts";

/** Marks a temporary folder as cinch's, and names the process that it belongs to. */
const OWNER_FILE = ".cinch-owner";
/** Names that `mkdtemp` creates from cinch's prefixes. */
const NAME = /^cinch-[A-Za-z0-9-]*[A-Za-z0-9]{6}$/;
/** The same for the folders that cinch creates, which are all marked at once. */
const UNMARKED_NAME = /^cinch-(?:keys-)?[A-Za-z0-9]{6}$/;
/** An empty folder without a mark is kept for this time: it may belong to another program. */
const UNMARKED_MS = 60_000;
/** Folders removed by one sweep; the rest is left for the next. */
const SWEPT_MAX = 256;
/** Tries to create a folder: a process that is stopped before it marks one may lose it to a sweep. */
const TRIES_MAX = 3;

/**
 * Creates a private folder (0700) in the machine's temporary folder, marked so that a later start removes it if this
 * process cannot.
 * @throws HarnessError TemporaryUnusable.
 */
export function makeTemporaryFolder(prefix: string, mark = writeMark): string {
  const parent = tmpdir();
  for (let tries = 1; ; tries++) {
    let made: string | undefined;
    try {
      made = mkdtempSync(join(parent, prefix));
      mark(made);
      return made;
    } catch (cause) {
      const isSwept = made !== undefined && codeOf(cause) === "ENOENT";
      if (isSwept && tries < TRIES_MAX) continue;
      if (made !== undefined) rmSync(made, { recursive: true, force: true });
      const exists = ifThere(() => lstatSync(parent)) !== undefined;
      const place = { folder: parent, variable: "TMPDIR", exists };
      throw new HarnessError(
        "TemporaryUnusable",
        { path: parent, ...explainStorage(cause, place) },
        { cause },
      );
    }
  }
}

function writeMark(folder: string): void {
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(ownMark()), { mode: 0o600, flag: "wx" });
}

/**
 * Removes the marked folders of ended processes and returns their paths. Skips links, folders of other users, and
 * those of another pid namespace: whether their process lives is not visible from here.
 *
 * A folder without a mark is removed if it is empty, has a name of cinch and is a minute old: its process was killed
 * before it could mark it. A process that was only stopped there creates another folder when it continues.
 */
export function sweepTemporaryFolders(parent = tmpdir(), nowMs = Date.now()): readonly string[] {
  const names = ifThere(() => readdirSync(parent)) ?? [];
  const removed: string[] = [];
  for (const name of names.filter((each) => NAME.test(each))) {
    const path = join(parent, name);
    if (isAbandoned(path)) ifThere(() => rmSync(path, { recursive: true, force: true }));
    else if (UNMARKED_NAME.test(name) && isUnmarked(path, nowMs)) ifThere(() => rmdirSync(path));
    else continue;
    if (ifThere(() => lstatSync(path)) === undefined) removed.push(path);
    if (removed.length === SWEPT_MAX) break;
  }
  return removed;
}

interface Mark {
  readonly pid: number;
  readonly processStart: string;
  readonly namespace: string;
}

function ownMark(): Mark {
  const { pid, processStart } = hostMachine();
  return { pid, processStart, namespace: pidNamespace() };
}

/** Process ids are unique within one namespace only. */
function pidNamespace(): string {
  return ifThere(() => readlinkSync("/proc/self/ns/pid")) ?? "";
}

function isAbandoned(path: string): boolean {
  const folder = ifThere(() => lstatSync(path));
  if (folder?.isDirectory() !== true || !isOurs(folder)) return false;
  const file = join(path, OWNER_FILE);
  const stats = ifThere(() => lstatSync(file));
  if (stats?.isFile() !== true || !isOurs(stats)) return false;
  const mark = ifThere(() => parseJson(readFileSync(file, "utf8"))?.value);
  if (!isObject(mark)) return false;
  const { pid, processStart, namespace } = mark;
  if (typeof pid !== "number" || typeof processStart !== "string") return false;
  return namespace === pidNamespace() && !hostMachine().isAlive(pid, processStart);
}

/** The system removes it only while it is empty, so files added after this check stay. */
function isUnmarked(path: string, nowMs: number): boolean {
  const folder = ifThere(() => lstatSync(path));
  if (folder?.isDirectory() !== true || !isOurs(folder)) return false;
  return nowMs - folder.mtimeMs > UNMARKED_MS && ifThere(() => readdirSync(path))?.length === 0;
}

function isOurs({ uid }: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || uid === user;
}

/** Returns undefined if the file was removed, or cannot be read: a sweep fails for no other reason. */
function ifThere<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return undefined;
  }
}
