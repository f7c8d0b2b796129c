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
import { explainedStorage } from "../../base/files/storage-problem.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { codeOf } from "../../base/world.ts";
import { hostMachine } from "../machine.ts";

/** The file that marks a temporary folder as cinch's own, and names the process that it belongs to. */
const OWNER_FILE = ".cinch-owner";
/** Names that `mkdtemp` makes of our prefixes. */
const NAME = /^cinch-[A-Za-z0-9-]*[A-Za-z0-9]{6}$/;
/** The same for the folders that cinch makes, all of which are marked within moments. */
const UNMARKED_NAME = /^cinch-(?:keys-)?[A-Za-z0-9]{6}$/;
/** An empty folder without a mark is left alone for so long: it may belong to another program. */
const UNMARKED_MS = 60_000;
/** Folders that one sweep removes; the rest is for the next. */
const SWEPT_MAX = 256;
/** Tries to make a folder: a process that stood still before it could mark one may lose it to a sweep. */
const TRIES_MAX = 3;

/**
 * Makes a folder of this process alone (0700) in the machine's temporary folder, marked so that a later start removes it
 * where this process cannot.
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
        { path: parent, ...explainedStorage(cause, place) },
        { cause },
      );
    }
  }
}

function writeMark(folder: string): void {
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(ownMark()), { mode: 0o600, flag: "wx" });
}

/**
 * Removes the marked folders of processes that are gone, and returns their paths. Left alone is what is a link, belongs to
 * another user, or was made in another pid namespace: whether that process lives cannot be seen from here.
 *
 * A folder without a mark is removed where it is empty, has a name of ours and is a minute old: its process was killed before
 * it could mark it. One that was only stopped there makes another folder when it goes on.
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

/** Numbers of processes mean something in one namespace only. */
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

/** The system removes it only while it is empty, so what is put there after this look stays. */
function isUnmarked(path: string, nowMs: number): boolean {
  const folder = ifThere(() => lstatSync(path));
  if (folder?.isDirectory() !== true || !isOurs(folder)) return false;
  return nowMs - folder.mtimeMs > UNMARKED_MS && ifThere(() => readdirSync(path))?.length === 0;
}

function isOurs({ uid }: Stats): boolean {
  const user = process.geteuid?.();
  return user === undefined || uid === user;
}

/** Undefined where it is gone meanwhile, or may not be looked at: a sweep never ends anything else. */
function ifThere<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    return undefined;
  }
}
