import type { Stats } from "node:fs";
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import { explainedStorage } from "../base/storage-problem.ts";
import { hostMachine } from "./machine.ts";

/** The file that marks a temporary folder as cinch's own, and names the process that it belongs to. */
const OWNER_FILE = ".cinch-owner";
/** As `mkdtemp` completes our prefixes. */
const NAME = /^cinch-[A-Za-z0-9-]*[A-Za-z0-9]{6}$/;
/** Folders that one sweep removes; the rest is for the next. */
const SWEPT_MAX = 256;

/**
 * Makes a folder of this process alone (0700) in the machine's temporary folder, marked so that a later start removes it
 * where this process cannot.
 * @throws HarnessError TemporaryUnusable.
 */
export function makeTemporaryFolder(prefix: string): string {
  const parent = tmpdir();
  let made: string | undefined;
  try {
    made = mkdtempSync(join(parent, prefix));
    writeFileSync(join(made, OWNER_FILE), JSON.stringify(ownMark()), { mode: 0o600, flag: "wx" });
    return made;
  } catch (cause) {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    const place = { folder: parent, variable: "TMPDIR" };
    throw new HarnessError(
      "TemporaryUnusable",
      { path: parent, ...explainedStorage(cause, place) },
      { cause },
    );
  }
}

/**
 * Removes the marked folders of processes that are gone, and returns their paths. Left alone is what bears no mark, is a
 * link, belongs to another user, or was made in another pid namespace: whether that process lives cannot be seen from here.
 */
export function sweepTemporaryFolders(parent = tmpdir()): readonly string[] {
  const names = ifThere(() => readdirSync(parent)) ?? [];
  const removed: string[] = [];
  for (const name of names.filter((each) => NAME.test(each))) {
    const path = join(parent, name);
    if (!isAbandoned(path)) continue;
    ifThere(() => rmSync(path, { recursive: true, force: true }));
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
