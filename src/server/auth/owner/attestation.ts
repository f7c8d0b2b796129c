import { Cancelled, HarnessError, messageOf } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import type { AttestedParent, ParentVerdict } from "./parent-list.ts";
import { attested, judgeParent, keepParent, readParents } from "./parent-list.ts";
import type { ParentProcess } from "./parent-process.ts";
import { readProcess } from "./parent-process.ts";

/** A program that no person has approved as it is. */
export interface ParentQuestion {
  readonly parent: ParentProcess;
  readonly verdict: Exclude<ParentVerdict, { readonly kind: "known" }>;
}

export interface AttestationDependencies {
  readonly world: Pick<World, "clock" | "files" | "lock" | "random">;
  /** Id of the process that started this one. */
  readonly parentPid: number;
  /** `mcp-parents.lock` in the configuration directory. */
  readonly lockPath: string;
  /**
   * Asks the person, on their terminal: never on standard input and output, which are the parent's. Returns true if
   * they allow the program; false if they refuse, and if nobody can be asked.
   */
  readonly ask: (question: ParentQuestion, signal: AbortSignal) => Promise<boolean>;
  readonly signal: AbortSignal;
}

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
  const verdict = judgeParent(parent, await readParents(lockPath));
  if (verdict.kind === "known") return verdict.parent;
  if (!(await askParent({ parent, verdict }))) {
    const problem = verdict.kind === "new" ? "it is not known" : "it has changed since it was attested";
    throw refused(parts, parent.binary, problem);
  }
  const now = await look(parts, parent.binary);
  const admitted = attested(parent);
  if (now.start !== parent.start || judgeParent(now, [admitted]).kind !== "known")
    throw refused(parts, parent.binary, "it became another program while it was asked about");
  await keepParent({ world: parts.world, path: lockPath }, admitted);
  return admitted;

  async function askParent(question: ParentQuestion): Promise<boolean> {
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

async function look(parts: AttestationDependencies, program: string): Promise<ParentProcess> {
  try {
    return await readProcess(parts.world.files, parts.parentPid);
  } catch (thrown) {
    throw refused(parts, program, `it cannot be inspected: ${messageOf(thrown)}`, thrown);
  }
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
