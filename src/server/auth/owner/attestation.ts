import { defined } from "../../../base/defined.ts";
import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { decode, encode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { readPrivateFile, replacePrivateFile } from "../../../safety/private-file.ts";
import type { ParentProcess } from "./parent-process.ts";
import { readProcess } from "./parent-process.ts";

/** Verdict about the program that started cinch as its server. */
export type ParentVerdict =
  | { readonly kind: "known"; readonly parent: AttestedParent }
  /** No person has approved a program of this name at this place. */
  | { readonly kind: "new" }
  /** A person has approved another one: its binary, its script or how that is started differs. */
  | { readonly kind: "changed"; readonly before: AttestedParent };

/** A program that a person approved. */
export interface AttestedParent extends Omit<ParentProcess, "start"> {
  /** False if they do not want to hear of what its sessions ask for (CTL-12). */
  readonly autoAttach: boolean;
}

/** Answer of a person about a program. */
export type ParentAnswer =
  | { readonly kind: "refused" }
  | { readonly kind: "allowed"; readonly autoAttach: boolean };

export interface ParentQuestion {
  readonly parent: ParentProcess;
  readonly verdict: Exclude<ParentVerdict, { readonly kind: "known" }>;
}

export interface AttestationDependencies {
  readonly world: Pick<World, "files" | "random">;
  /** Id of the process that started this one. */
  readonly parentPid: number;
  /** `mcp-parents.lock` in the configuration directory. */
  readonly lockPath: string;
  /**
   * Asks the person, on their terminal: never on standard input and output, which are the parent's. Refuses if they
   * refuse, and if nobody can be asked.
   */
  readonly ask: (question: ParentQuestion, signal: AbortSignal) => Promise<ParentAnswer>;
  readonly signal: AbortSignal;
}

const LOCK_BYTES_MAX = 1024 * 1024;
/** Programs that are kept; the oldest goes when there are more. */
export const PARENTS_MAX = 200;
const UNIQUE_BYTES = 6;

/**
 * Admits a program that started cinch over standard input and output only if a person has approved exactly this program
 * (AUTH-09, S51): binary and, for interpreters, script, by content. The answer is stored.
 *
 * The process is read again after the answer, by its time of start, to be the one that was asked about.
 * @throws HarnessError ParentRefused, ParentsUnusable.
 */
export async function attestParent(parts: AttestationDependencies): Promise<AttestedParent> {
  const { parentPid, lockPath, ask, signal } = parts;
  const parent = await look(parts, `process ${parentPid}`);
  const known = await readLock(lockPath);
  const verdict = judgeParent(parent, known);
  if (verdict.kind === "known") return verdict.parent;
  const answer = await askParent({ parent, verdict });
  if (answer.kind === "refused") {
    const problem = verdict.kind === "new" ? "it is not known" : "it has changed since it was attested";
    throw refused(parts, parent.binary, problem);
  }
  const now = await look(parts, parent.binary);
  const admitted = { ...parent, autoAttach: answer.autoAttach };
  if (now.start !== parent.start || judgeParent(now, [admitted]).kind !== "known")
    throw refused(parts, parent.binary, "it became another program while it was asked about");
  await keep(parts, admitted);
  return attested(admitted);

  async function askParent(question: ParentQuestion): Promise<ParentAnswer> {
    try {
      return await ask(question, signal);
    } catch (thrown) {
      // The client has left; any other end of the wait is no answer to it.
      const isGone = signal.aborted && signal.reason instanceof Cancelled && signal.reason.by === "client";
      if (!isGone) throw thrown;
      throw refused(parts, parent.binary, "it closed its end before a person could be asked", thrown);
    }
  }
}

/** Returns the verdict of a list of attested programs about one. */
export function judgeParent(
  parent: Omit<ParentProcess, "start">,
  known: readonly AttestedParent[],
): ParentVerdict {
  const named = known.filter((each) => nameOf(each) === nameOf(parent));
  const same = named.find((each) => isSame(each, parent));
  if (same !== undefined) return { kind: "known", parent: same };
  const before = named.at(-1);
  return before === undefined ? { kind: "new" } : { kind: "changed", before };
}

function nameOf({ argv0, binary, script }: Omit<ParentProcess, "start">): string {
  return JSON.stringify([argv0, binary, script]);
}

function isSame(one: AttestedParent, other: Omit<ParentProcess, "start">): boolean {
  return one.binarySha256 === other.binarySha256 && one.scriptSha256 === other.scriptSha256;
}

async function look(parts: AttestationDependencies, program: string): Promise<ParentProcess> {
  try {
    return await readProcess(parts.world.files, parts.parentPid);
  } catch (thrown) {
    throw refused(parts, program, `it cannot be inspected: ${messageOf(thrown)}`, thrown);
  }
}

/** Replaces the entry of the same name. */
async function keep({ world, lockPath }: AttestationDependencies, parent: AttestedParent): Promise<void> {
  const others = (await readLock(lockPath)).filter((each) => nameOf(each) !== nameOf(parent));
  const parents = [...others, attested(parent)].slice(-PARENTS_MAX);
  try {
    const content = encode(`${JSON.stringify({ version: 1, parents }, undefined, 2)}\n`);
    await replacePrivateFile(lockPath, content, world.random.bytes(UNIQUE_BYTES));
  } catch (thrown) {
    throw unusable(lockPath, messageOf(thrown), thrown);
  }
}

function attested(parent: AttestedParent): AttestedParent {
  const { argv0, binary, binarySha256, script, scriptSha256, autoAttach } = parent;
  return {
    argv0,
    binary,
    binarySha256,
    ...defined({ script, scriptSha256 }),
    autoAttach,
  };
}

async function readLock(path: string): Promise<readonly AttestedParent[]> {
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

const SHA256 = /^[0-9a-f]{64}$/;

function readEntry(entry: unknown, path: string): AttestedParent {
  if (!isObject(entry)) throw unusable(path, "an entry is not an object");
  // A program that was admitted without this question is seen.
  const { argv0, binary, binarySha256, script, scriptSha256, autoAttach = true } = entry;
  const isWhole =
    typeof autoAttach === "boolean" &&
    typeof argv0 === "string" &&
    typeof binary === "string" &&
    isSha256(binarySha256) &&
    (script === undefined
      ? scriptSha256 === undefined
      : typeof script === "string" && isSha256(scriptSha256));
  if (!isWhole) throw unusable(path, "an entry lacks a name or a SHA-256");
  return attested({
    argv0,
    binary,
    binarySha256,
    ...(typeof script === "string" ? { script } : {}),
    ...(isSha256(scriptSha256) ? { scriptSha256 } : {}),
    autoAttach,
  });
}

function isSha256(value: unknown): value is string {
  return typeof value === "string" && SHA256.test(value);
}

function refused(
  { lockPath }: AttestationDependencies,
  program: string,
  problem: string,
  cause?: unknown,
): HarnessError<"ParentRefused"> {
  const fields = { program, problem, path: lockPath };
  return new HarnessError("ParentRefused", fields, cause === undefined ? {} : { cause });
}

function unusable(path: string, problem: string, cause?: unknown): HarnessError<"ParentsUnusable"> {
  return new HarnessError("ParentsUnusable", { path, problem }, cause === undefined ? {} : { cause });
}
