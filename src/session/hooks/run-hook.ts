import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { messageOf } from "../../base/errors.ts";
import type { Child, Clock, Exit, World } from "../../base/world.ts";
import type { Hook } from "./hook.ts";

/**
 * Bytes kept of each of standard output and standard error; the rest is read and dropped, so that the hook is
 * not blocked.
 */
export const HOOK_OUTPUT_BYTES_MAX = 65_536;
/** Milliseconds that a hook has after the SIGTERM of its deadline. */
export const HOOK_KILL_AFTER_MS = 5_000;
/** Marks every process of one run, so that those that leave its group are ended too. */
const HOOK_MARK = "CINCH_HOOK";
/** Variable that names the folder of a hook's scripts. */
const HOOK_SCRIPTS = "CINCH_HOOKS";

const SHELL = "/bin/sh";

export interface Captured {
  readonly bytes: Uint8Array;
  /** Bytes in all, those that were dropped included. */
  readonly total: number;
}

export type HookRun =
  | {
      readonly kind: "ended";
      readonly exit: Exclude<Exit, { readonly kind: "failed" }>;
      readonly stdout: Captured;
      readonly stderr: Captured;
    }
  | { readonly kind: "late" }
  | { readonly kind: "unstarted"; readonly why: string };

export interface HookContext {
  readonly world: World;
  readonly cwd: string;
  /** The user's environment, without keys. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs a hook once, with `input` on its standard input, and ends all of its processes ([A] § Hook timeouts, REL-03).
 *
 * At its deadline the group gets SIGTERM, 5 s later SIGKILL. When the signal aborts it is ended at once.
 * @throws signal.reason.
 */
export async function runHook(
  hook: Hook,
  input: string,
  { world, cwd, env }: HookContext,
  signal: AbortSignal,
): Promise<HookRun> {
  const { clock, ids, machine } = world;
  let scripts: string;
  try {
    scripts = await hook.scripts();
  } catch (thrown) {
    return { kind: "unstarted", why: messageOf(thrown) };
  }
  signal.throwIfAborted();
  await using child = world.spawn({
    argv: [SHELL, "-c", hook.command],
    cwd,
    env: {
      ...withoutRelativePath(env),
      PWD: cwd,
      [HOOK_SCRIPTS]: scripts,
      [HOOK_MARK]: `${ids.next("call")}.${machine.pid}`,
    },
    mark: HOOK_MARK,
    stdin: input,
  });
  using limit = deadline(clock, hook.timeoutMs, signal);
  try {
    const [exit, stdout, stderr] = await whileAlive(
      Promise.all([child.exited, capture(child.stdout), capture(child.stderr)]),
      limit.signal,
    );
    return exit.kind === "failed"
      ? { kind: "unstarted", why: exit.error.message }
      : { kind: "ended", exit, stdout, stderr };
  } catch (thrown) {
    if (!limit.reached) throw thrown;
  }
  await terminate(child, clock, signal);
  return { kind: "late" };
}

/** Leaving the scope of the child ends the rest of its group. */
async function terminate(child: Child, clock: Clock, signal: AbortSignal): Promise<void> {
  child.kill("SIGTERM");
  using grace = deadline(clock, HOOK_KILL_AFTER_MS, signal);
  try {
    await whileAlive(child.exited, grace.signal);
  } catch (thrown) {
    if (!grace.reached) throw thrown;
  }
  child.kill("SIGKILL");
}

async function capture(stream: AsyncIterable<Uint8Array>): Promise<Captured> {
  const output = new Uint8Array(HOOK_OUTPUT_BYTES_MAX);
  let total = 0;
  for await (const chunk of stream) {
    if (total < output.length) output.set(chunk.subarray(0, output.length - total), total);
    total += chunk.length;
  }
  return { bytes: output.slice(0, Math.min(total, output.length)), total };
}

/** A relative folder in PATH would find programs in the repository that is worked in. */
function withoutRelativePath(env: HookContext["env"]): HookContext["env"] {
  const { PATH } = env;
  if (PATH === undefined) return env;
  const folders = PATH.split(":").filter((folder) => folder.startsWith("/"));
  return { ...env, PATH: folders.join(":") };
}
