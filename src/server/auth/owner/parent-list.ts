import { dirname, join } from "node:path";
import { acquireLock, LockRefused } from "../../../base/async/lock.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { decode, encode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { readPrivateFile, replacePrivateFile } from "../../../safety/private-file.ts";
import type { ParentProcess } from "./parent-process.ts";

/** The file of the list, in the configuration directory. */
export const PARENTS_FILE = "mcp-parents.lock";
/** Programs that are kept; the oldest goes when there are more. */
export const PARENTS_MAX = 200;
const LOCK_BYTES_MAX = 1024 * 1024;
const UNIQUE_BYTES = 6;
/** Name of the file beside the list that is locked while it is changed; always empty. */
const CHANGE_LOCK = ".mcp-parents.change";
const FOLDER_MODE = 0o700;

/** Fields by which the list names a program. */
export type NamedParent = Omit<ParentProcess, "start">;

/** A program that a person approved. */
export interface AttestedParent extends NamedParent {
  /** False if they do not want to hear of what its sessions ask for (CTL-12). Absent: they have not decided yet. */
  readonly autoAttach?: boolean;
}

/** Verdict about a program. */
export type ParentVerdict =
  | { readonly kind: "known"; readonly parent: AttestedParent }
  /** No person has approved a program of this name at this place. */
  | { readonly kind: "new" }
  /** A person has approved another one: its binary, its script or how that is started differs. */
  | { readonly kind: "changed"; readonly before: AttestedParent };

/** The list of approved programs, as a file. */
export interface ParentList {
  readonly world: Pick<World, "clock" | "files" | "lock" | "random">;
  readonly path: string;
}

/** Returns the verdict of a list of attested programs about one. */
export function judgeParent(parent: NamedParent, known: readonly AttestedParent[]): ParentVerdict {
  const named = known.filter((each) => nameOf(each) === nameOf(parent));
  const same = named.find((each) => isSame(each, parent));
  if (same !== undefined) return { kind: "known", parent: same };
  const before = named.at(-1);
  return before === undefined ? { kind: "new" } : { kind: "changed", before };
}

/**
 * Adds a program, in place of another one of the same name. What another process has stored about exactly this program
 * meanwhile stays.
 * @throws HarnessError ParentsUnusable.
 */
export async function keepParent(list: ParentList, parent: AttestedParent): Promise<void> {
  await changeParents(list, (known) => {
    if (judgeParent(parent, known).kind === "known") return known;
    const others = known.filter((each) => nameOf(each) !== nameOf(parent));
    return [...others, attested(parent)].slice(-PARENTS_MAX);
  });
}

/**
 * Stores whether the sessions of a program are auto-attached, in the entry of exactly this program.
 * @returns the verdict before: without an entry of it nothing is stored.
 * @throws HarnessError ParentsUnusable.
 */
export async function keepAutoAttach(
  list: ParentList,
  parent: NamedParent,
  autoAttach: boolean,
): Promise<ParentVerdict> {
  let verdict: ParentVerdict = { kind: "new" };
  await changeParents(list, (known) => {
    verdict = judgeParent(parent, known);
    if (verdict.kind !== "known") return known;
    const { parent: entry } = verdict;
    return known.map((each) => (each === entry ? { ...each, autoAttach } : each));
  });
  return verdict;
}

/** Changes the list while no other process does: `cinch mcp` and engines write it. */
async function changeParents(
  list: ParentList,
  change: (known: readonly AttestedParent[]) => readonly AttestedParent[],
): Promise<void> {
  using _lock = await lockParents(list);
  const known = await readParents(list.path);
  const changed = change(known);
  if (changed !== known) await writeParents(list, changed);
}

async function lockParents({ world, path }: ParentList): Promise<Disposable> {
  const folder = dirname(path);
  try {
    await world.files.makeDirectory(folder, FOLDER_MODE);
    return await acquireLock(world, join(folder, CHANGE_LOCK));
  } catch (thrown) {
    if (codeOf(thrown) === undefined && !(thrown instanceof LockRefused)) throw thrown;
    throw unusable(path, messageOf(thrown), thrown);
  }
}

/** Returns the programs of a list; none if there is no file. @throws HarnessError ParentsUnusable. */
export async function readParents(path: string): Promise<readonly AttestedParent[]> {
  const found = await readPrivateFile(path, LOCK_BYTES_MAX).catch((thrown: unknown) => {
    throw unusable(path, messageOf(thrown), thrown);
  });
  if (found.kind === "missing") return [];
  if (found.kind === "refused") throw unusable(path, `it ${found.problem}`);
  const value = parseJson(decode(found.bytes))?.value;
  const parents = isObject(value) && value["version"] === 1 ? value["parents"] : undefined;
  if (!Array.isArray(parents)) throw unusable(path, "it is not what cinch writes there");
  return parents.map((each: unknown) => readEntry(each, path));
}

/** Returns the fields that the list has of a program. */
export function attested(parent: AttestedParent): AttestedParent {
  const { argv0, binary, binarySha256, script, scriptSha256, autoAttach } = parent;
  return { argv0, binary, binarySha256, ...defined({ script, scriptSha256, autoAttach }) };
}

async function writeParents({ world, path }: ParentList, parents: readonly AttestedParent[]): Promise<void> {
  try {
    const content = encode(`${JSON.stringify({ version: 1, parents }, undefined, 2)}\n`);
    await replacePrivateFile(path, content, world.random.bytes(UNIQUE_BYTES));
  } catch (thrown) {
    throw unusable(path, messageOf(thrown), thrown);
  }
}

function nameOf({ argv0, binary, script }: NamedParent): string {
  return JSON.stringify([argv0, binary, script]);
}

function isSame(one: NamedParent, other: NamedParent): boolean {
  return one.binarySha256 === other.binarySha256 && one.scriptSha256 === other.scriptSha256;
}

const SHA256 = /^[0-9a-f]{64}$/;

function readEntry(entry: unknown, path: string): AttestedParent {
  if (!isObject(entry)) throw unusable(path, "an entry is not an object");
  const { argv0, binary, binarySha256, script, scriptSha256, autoAttach } = entry;
  const isWhole =
    (autoAttach === undefined || typeof autoAttach === "boolean") &&
    typeof argv0 === "string" &&
    typeof binary === "string" &&
    isSha256(binarySha256) &&
    (script === undefined
      ? scriptSha256 === undefined
      : typeof script === "string" && isSha256(scriptSha256));
  if (!isWhole) throw unusable(path, "an entry lacks a name or a SHA-256");
  return {
    argv0,
    binary,
    binarySha256,
    ...(typeof script === "string" ? { script } : {}),
    ...(isSha256(scriptSha256) ? { scriptSha256 } : {}),
    ...defined({ autoAttach }),
  };
}

function isSha256(value: unknown): value is string {
  return typeof value === "string" && SHA256.test(value);
}

function unusable(path: string, problem: string, cause?: unknown): HarnessError<"ParentsUnusable"> {
  return new HarnessError("ParentsUnusable", { path, problem }, cause === undefined ? {} : { cause });
}
