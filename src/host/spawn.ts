import type { Child, Exit, Spawn, SpawnOptions } from "../base/world.ts";
import { codeOf } from "../base/world.ts";

const TERM_GRACE_MS = 2_000;

/**
 * Starts processes of this machine, each as the leader of its own group and session.
 *
 * A child that makes a session of its own leaves the group: only a pid namespace, which the sandbox gives, ends that
 * one surely.
 */
export const hostSpawn: Spawn = (options) => {
  try {
    return start(options);
  } catch (thrown) {
    return neverStarted(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
};

function start(options: SpawnOptions): Child {
  const { argv, cwd, env, stdin } = options;
  const child = Bun.spawn([...argv], {
    cwd,
    env: { ...env },
    detached: true,
    stdin:
      stdin === undefined ? "ignore" : typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin,
    stdout: "pipe",
    stderr: "pipe",
  });
  const exited = child.exited.then(
    (code): Exit =>
      child.signalCode === null
        ? { kind: "code", code }
        : { kind: "signal", signal: String(child.signalCode) },
  );
  let released = false;
  const kill = (signal: NodeJS.Signals) => signalGroup(child.pid, signal);
  return {
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    exited,
    kill,
    release() {
      released = true;
      child.unref();
    },
    async [Symbol.asyncDispose]() {
      if (released) return;
      if (groupIsAlive(child.pid)) await endGroup(child.pid, exited, kill);
    },
  };
}

/** Ends a whole group: a polite signal, then, for what is left of it, the other one. */
async function endGroup(
  pid: number,
  exited: Promise<Exit>,
  kill: (signal: NodeJS.Signals) => void,
): Promise<void> {
  kill("SIGTERM");
  const until = performance.now() + TERM_GRACE_MS;
  while (groupIsAlive(pid) && performance.now() < until) await Bun.sleep(5);
  if (groupIsAlive(pid)) kill("SIGKILL");
  await exited;
}

function groupIsAlive(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) === "EPERM";
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (thrown) {
    if (codeOf(thrown) !== "ESRCH") throw thrown; // gone already: what was wanted
  }
}

function neverStarted(error: Error): Child {
  return {
    pid: 0,
    stdout: nothing(),
    stderr: nothing(),
    exited: Promise.resolve({ kind: "failed", error }),
    kill: () => undefined,
    release: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
