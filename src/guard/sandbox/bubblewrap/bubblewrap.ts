import { join } from "node:path";
import { DeadlineReached, messageOf } from "../../../base/errors.ts";
import { isBelow, isWithin } from "../../../base/files/below.ts";
import type { World } from "../../../base/world.ts";
import type { Confine, Sandbox, SandboxPolicy, SandboxState } from "../../../session/guard/sandbox.ts";
import { protectedPathsOf } from "../../../session/guard/sandbox.ts";
import type { SystemProgram } from "../system-program.ts";
import { systemProgram } from "../system-program.ts";
import type { Control } from "./arguments.ts";
import { fixedArguments, wrapCommand } from "./arguments.ts";
import type { Mount } from "./mounts.ts";
import { planMounts, REPLACED_FOLDERS } from "./mounts.ts";
import { closedFolders, expectedMounts } from "./placement.ts";
import { probeSandbox, TRIAL_KILLED } from "./probe.ts";
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
  /** The user's `PATH`. */
  readonly path?: string | undefined;
  /** Controls that are left out, so that a test can show their effect. The probe is left out with them. */
  readonly without?: readonly Control[];
}

/**
 * Confines commands with Linux namespaces through bubblewrap (SBX-01). The root is read-only but for the workspace
 * and a `/tmp` of the session. There is no network and no capability, system calls are filtered, and processes die
 * with the command.
 *
 * Works for root and for ordinary users, if the kernel allows user namespaces.
 */
export function bubblewrap({ world, path, without }: BubblewrapOptions): Sandbox {
  let tried = without !== undefined;
  let written: string | undefined;
  let searching: Promise<string | undefined> | undefined;
  /** Returns the program, if it can make the file system of a search. */
  const searchProgram = async () => {
    const found = await findBubblewrap(world, path);
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
      const found = await findBubblewrap(world, path);
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
        await files.writeAtomic(filter, seccompFilter(machine.arch), 0o400);
        await files.writeAtomic(empty, "", 0o400);
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
        ...protectedPathsOf(policy),
      };
      const problem = tried ? undefined : await problemWith(world, confine, policy);
      tried ||= problem === undefined;
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

/** True for a failure of a trial that passes, where the machine has what the sandbox needs. */
async function isShortage(problem: string, files: World["files"]): Promise<boolean> {
  return problem === TRIAL_KILLED || (BUSY_PROBLEM.test(problem) && !(await hasNoNamespaces(files)));
}

/** True for paths of the workspace's own repository, closed from the first command on; others come and go. */
function isOfRepository(root: string, path: string): boolean {
  return isWithin(join(root, ".git"), path) || !isBelow(root, path);
}

/** Looks for bwrap. Costs one or two file lookups if it is installed, and starts nothing. */
export async function findBubblewrap({ files }: Pick<World, "files">, path?: string): Promise<SystemProgram> {
  return await systemProgram(files, { usual: PROGRAMS, path });
}

/** Returns a message with the problem of a missing or unusable bwrap, and the paths where cinch looked. */
export function notInstalledText(problem: string): string {
  return `bubblewrap (bwrap) is not installed: ${problem}`;
}

async function problemWith(
  world: BubblewrapOptions["world"],
  confine: Confine,
  { workshop, root }: SandboxPolicy,
): Promise<string | undefined> {
  try {
    return await probeSandbox(world, confine, {
      outside: join(workshop, "probe"),
      workshop: join(workshop, "filter"),
      root,
    });
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
