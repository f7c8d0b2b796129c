import { join } from "node:path";
import { defined } from "../../../base/defined.ts";
import { DeadlineReached, messageOf } from "../../../base/errors.ts";
import { isBelow, isWithin } from "../../../base/files/below.ts";
import type { World } from "../../../base/world.ts";
import type { Confine, Sandbox, SandboxPolicy, SandboxState } from "../../../session/guard/sandbox.ts";
import { protectedPathsOf } from "../../../session/guard/sandbox.ts";
import type { ProgramSearch } from "../policy/trusted-program.ts";
import type { SystemProgram } from "../system-program.ts";
import { systemProgram } from "../system-program.ts";
import type { Control } from "./arguments.ts";
import { fixedArguments, wrapCommand } from "./arguments.ts";
import type { KeptProof } from "./kept-proof.ts";
import type { Mount } from "./mounts.ts";
import { planMounts, REPLACED_FOLDERS } from "./mounts.ts";
import { closedFolders, expectedMounts } from "./placement.ts";
import { PROBE_SCRIPT, probeSandbox, TRIAL_KILLED } from "./probe.ts";
import { hasNoNamespaces, installRemedy, kernelRemedy } from "./remedy.ts";
import { canSearch, searchConfine } from "./search.ts";
import { seccompFilter } from "./seccomp.ts";

const PROGRAMS: readonly [string, ...string[]] = [
  "/usr/bin/bwrap",
  "/usr/local/bin/bwrap",
  "/bin/bwrap",
  "/run/current-system/sw/bin/bwrap",
];

/** Failures caused by a path, not by missing rights in the kernel: no setting of the machine changes them. */
const PLACE_PROBLEM = /Can't (?:mkdir|create file|create directory|find source path|get type of source)/;

/** Failures that pass: they prove nothing about the machine, and a running command can cause them. */
const BUSY_PROBLEM =
  /Resource temporarily unavailable|Cannot allocate memory|Too many open files|No space left|EAGAIN|ENOMEM|E[MN]FILE|ENOSPC/;

export interface BubblewrapOptions {
  readonly world: Pick<World, "files" | "spawn" | "clock" | "machine">;
  /** The folders in which bwrap is looked for besides the usual ones. */
  readonly programs?: ProgramSearch | undefined;
  /** Controls that are left out, so that a test can show their effect. The probe is left out with them. */
  readonly without?: readonly Control[];
  /** Proof of an earlier trial that spares this one's. Absent: this backend tries the sandbox itself. */
  readonly proof?: KeptProof;
  /** Ends a trial. Default: it runs to its end. */
  readonly signal?: AbortSignal;
}

/**
 * Confines commands with Linux namespaces through bubblewrap (SBX-01). The root is read-only but for the workspace
 * and a `/tmp` of the session. There is no network and no capability, system calls are filtered, and processes die
 * with the command.
 *
 * Works for root and for ordinary users, if the kernel allows user namespaces.
 */
export function bubblewrap({ world, programs, without, proof, signal }: BubblewrapOptions): Sandbox {
  const trial = new Trial({ world, proof, signal, isPassed: without !== undefined });
  let written: string | undefined;
  let searching: Promise<string | undefined> | undefined;
  /** Returns the program, if it can make the file system of a search. */
  const searchProgram = async () => {
    const found = await findBubblewrap(world, programs);
    return found.kind === "found" && (await canSearch(world, found.path)) ? found.path : undefined;
  };
  /** A probe that did not end in time proves nothing: this search fails, and the next one tries again. */
  const searchable = async () => {
    searching ??= searchProgram();
    const trial = searching;
    try {
      return await trial;
    } catch (thrown) {
      if (searching === trial) searching = undefined;
      throw thrown;
    }
  };
  /** Folders that every command so far has found closed. */
  let closed: ReadonlySet<string> | undefined;
  return {
    name: "bubblewrap",
    async prepareSearch(place) {
      const program = place.root === "/" ? undefined : await searchable();
      return program === undefined ? undefined : await searchConfine(world.files, program, place);
    },
    doubt: () => trial.doubt(),
    async prepare(policy) {
      const { files, machine } = world;
      if (policy.root === "/") {
        return unconfinable("the workspace is the root of the file system");
      }
      if (REPLACED_FOLDERS.includes(policy.root)) {
        return unconfinable(
          `the workspace is ${policy.root} itself, in whose place commands have a folder of their own`,
        );
      }
      const found = await findBubblewrap(world, programs);
      if (found.kind === "missing")
        return unavailable(notInstalledText(found.problem), await installRemedy(files));
      const program = found.path;
      if (machine.arch === undefined) {
        return unavailable(
          "no filter of system calls is known for this processor",
          "use a container as the boundary",
        );
      }
      const [filter, empty] = [join(policy.workshop, "filter"), join(policy.workshop, "empty")];
      if (written !== policy.workshop) {
        await makeOnce(files, filter, seccompFilter(machine.arch));
        await makeOnce(files, empty, new Uint8Array());
        written = policy.workshop;
      }
      const { mounts, made } = await planMounts(policy, files);
      const folders = closedFolders(mounts);
      const before = closed ?? new Set([...folders].filter((path) => isOfRepository(policy.root, path)));
      const readyWith = async (mounts: readonly Mount[]) => {
        const placement = without?.includes("placement")
          ? undefined
          : await expectedMounts(mounts, policy, files, before);
        const prepared = {
          program,
          mounts,
          network: policy.network,
          empty,
          filter,
          ...(placement === undefined ? {} : { placement }),
          ...(without === undefined ? {} : { without }),
        };
        return { prepared, fixed: fixedArguments(prepared) };
      };
      const background = await readyWith(mounts);
      const opened = policy.readOnly.flatMap(({ path, onlyInBackground }) =>
        onlyInBackground === true ? [path] : [],
      );
      const rest = mounts.filter(({ path, kind }) => kind === "bind" || !opened.includes(path));
      const foreground = rest.length === mounts.length ? background : await readyWith(rest);
      closed = before.intersection(folders);
      const confine: Confine = {
        wrap: (options, how) => {
          const { prepared, fixed } = how === "background" ? background : foreground;
          return wrapCommand(prepared, fixed, options);
        },
        failure,
        ...{ passesInput: true, ...protectedPathsOf(policy) },
      };
      const problem = await trial.problem(program, confine, policy);
      if (problem === undefined) return { kind: "working", confine, made };
      if (await isShortage(problem, files)) {
        const why = `the trial of the sandbox found the machine short of resources: ${problem}`;
        return { kind: "refused", why, remedy: "end what uses them up, and try again", made };
      }
      if (PLACE_PROBLEM.test(problem)) {
        return unavailable(
          `bubblewrap cannot cover a place of this workspace: ${problem}`,
          "start cinch in another folder, or look at what stands at that place",
        );
      }
      const remedy =
        (await kernelRemedy(files)) ??
        `run ${program} by hand to see more: bwrap --unshare-all --ro-bind / / true`;
      return unavailable(`bubblewrap does not work here: ${problem}`, remedy);
    },
  };
}

/** Creates a file of the sandbox, unless another backend has. Not synced: after a crash nobody uses its folder. */
async function makeOnce(files: World["files"], path: string, content: Uint8Array): Promise<void> {
  try {
    await files.createNew(path, content, 0o400);
  } catch (thrown) {
    await files.remove(path); // a part of it would be taken for all
    throw thrown;
  }
}

interface TrialOptions extends Pick<BubblewrapOptions, "world"> {
  readonly proof: KeptProof | undefined;
  readonly signal: AbortSignal | undefined;
  readonly isPassed: boolean;
}

/** The trial of a backend, which it makes with its first policy, and not again once it was passed. */
class Trial {
  readonly #options: TrialOptions;
  #isPassed: boolean;
  /** True if only an earlier trial shows that the sandbox works. */
  #isTrusting = false;

  constructor(options: TrialOptions) {
    this.#options = options;
    this.#isPassed = options.isPassed;
  }

  /** Returns what speaks against the sandbox; undefined if nothing does. */
  async problem(program: string, confine: Confine, policy: SandboxPolicy): Promise<string | undefined> {
    if (this.#isPassed) return undefined;
    const { world, signal } = this.#options;
    // A proof is about a sandbox without a network: the way into one with a proxy is tried each time.
    const proof = policy.network.kind === "off" ? this.#options.proof : undefined;
    const form = proof === undefined ? "" : formOf(program, world.machine.arch);
    this.#isTrusting = (await proof?.holds(program, form)) === true;
    const problem = this.#isTrusting ? undefined : await problemWith(world, confine, policy, signal);
    if (problem !== undefined) return problem;
    this.#isPassed = true;
    if (!this.#isTrusting) await proof?.keep(program, form);
    return undefined;
  }

  /** See `Sandbox.doubt`. */
  async doubt(): Promise<boolean> {
    if (!this.#isTrusting) return false;
    [this.#isTrusting, this.#isPassed] = [false, false];
    await this.#options.proof?.drop();
    return true;
  }
}

/** Returns a digest of what every command gets, whatever its policy, and of the trial that shows its effect. */
function formOf(program: string, arch: "x64" | "arm64" | undefined): string {
  const bare = { program, mounts: [], network: { kind: "off" }, empty: "", filter: "" } as const;
  const filter = arch === undefined ? "" : seccompFilter(arch);
  return new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([fixedArguments(bare), PROBE_SCRIPT]))
    .update(filter)
    .digest("hex");
}

/** True for a failure of a trial that passes, where the machine has what the sandbox needs. */
async function isShortage(problem: string, files: World["files"]): Promise<boolean> {
  return problem === TRIAL_KILLED || (BUSY_PROBLEM.test(problem) && !(await hasNoNamespaces(files)));
}

/** True for paths of the workspace's own repository, closed from the first command on; others come and go. */
function isOfRepository(root: string, path: string): boolean {
  return isWithin(join(root, ".git"), path) || !isBelow(root, path);
}

/** Looks for bwrap. Costs one or two file lookups if it is installed, and starts nothing. */
export async function findBubblewrap(
  { files }: Pick<World, "files">,
  search: ProgramSearch | undefined,
): Promise<SystemProgram> {
  return await systemProgram(files, { usual: PROGRAMS, search });
}

/** Returns true if an earlier trial has proven the bwrap of this machine; also if it has none, which costs no trial. */
export async function isProven({
  world,
  programs,
  proof,
}: Pick<BubblewrapOptions, "programs"> & {
  readonly world: Pick<World, "files" | "machine">;
  readonly proof: KeptProof;
}): Promise<boolean> {
  const found = await findBubblewrap(world, programs);
  if (found.kind === "missing") return true;
  return await proof.holds(found.path, formOf(found.path, world.machine.arch));
}

/** Returns a message with the problem of a missing or unusable bwrap, and the paths where cinch looked. */
export function notInstalledText(problem: string): string {
  return `bubblewrap (bwrap) is not installed: ${problem}`;
}

async function problemWith(
  world: BubblewrapOptions["world"],
  confine: Confine,
  { workshop, root }: SandboxPolicy,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    const paths = { outside: join(workshop, "probe"), workshop: join(workshop, "filter"), root };
    return await probeSandbox(world, confine, { ...paths, ...defined({ signal }) });
  } catch (thrown) {
    if (thrown instanceof DeadlineReached) throw thrown; // proves nothing about the machine
    return messageOf(thrown);
  }
}

/** bwrap's line comes first: the command writes only after bwrap has exec'ed it, and bwrap is silent on success. */
function failure(stderr: string): string | undefined {
  return /^(?:bwrap|nsenter): (.+)/.exec(stderr)?.[1];
}

function unconfinable(why: string): SandboxState {
  const remedy = "start cinch in a folder of your project";
  return { kind: "unavailable", why, remedy, forWorkspace: true };
}

function unavailable(why: string, remedy: string): SandboxState {
  return { kind: "unavailable", why, remedy };
}
