import type { Exit } from "../../base/world.ts";

export interface BesideOptions {
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the process: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether it has this process's standard input, output and error for its own, or none. */
  readonly stdio: "inherit" | "ignore";
}

/** A process of ours that runs beside this one. */
export interface Beside {
  readonly pid: number;
  /** Our end of the pipe that the process has as descriptor 3. */
  readonly descriptor: number;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  kill(signal: "SIGKILL" | "SIGTERM"): void;
}

/** The descriptor under which a process that was started by `startBeside` has its end of the pipe. */
export const BESIDE_DESCRIPTOR = 3;

/**
 * Starts a process in this process's own group: it has the same terminal, and the signals of that terminal go to both.
 *
 * @throws an error of the system where it cannot be started.
 */
export function startBeside({ argv, env, stdio }: BesideOptions): Beside {
  const child = Bun.spawn([...argv], { env: { ...env }, stdio: [stdio, stdio, stdio, "pipe"] });
  const descriptor: unknown = child.stdio[BESIDE_DESCRIPTOR];
  if (typeof descriptor !== "number") throw new TypeError("the runtime gave no pipe to a process of ours");
  return {
    pid: child.pid,
    descriptor,
    exited: child.exited.then((code) =>
      child.signalCode === null
        ? { kind: "code", code }
        : { kind: "signal", signal: String(child.signalCode) },
    ),
    kill: (signal) => child.kill(signal),
  };
}
