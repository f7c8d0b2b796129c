import type { Exit } from "../../base/world.ts";

export interface HelperProcessOptions {
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the process: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** `inherit`: it shares this process's standard input, output and error. `ignore`: it has none. */
  readonly stdio: "inherit" | "ignore";
}

/** A helper process of cinch that runs beside this one. */
export interface HelperProcess {
  readonly pid: number;
  /** This side of the pipe that the process has as descriptor 3. */
  readonly descriptor: number;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  kill(signal: "SIGKILL" | "SIGTERM"): void;
}

/** Descriptor of the pipe in a process started by `startBeside`. */
export const HELPER_DESCRIPTOR = 3;

/**
 * Starts a process in this process's group: both share the terminal and receive its signals.
 *
 * @throws a system error if it cannot be started.
 */
export function startHelperProcess({ argv, env, stdio }: HelperProcessOptions): HelperProcess {
  const child = Bun.spawn([...argv], { env: { ...env }, stdio: [stdio, stdio, stdio, "pipe"] });
  const descriptor: unknown = child.stdio[HELPER_DESCRIPTOR];
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
