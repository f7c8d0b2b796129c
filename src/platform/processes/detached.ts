import { closeSync, openSync, statSync } from "node:fs";

/** A log that has grown beyond this is begun anew. */
const LOG_BYTES_MAX = 1_048_576;
const OWNER_ONLY = 0o600;

export interface DetachedOptions {
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the process: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** What it writes on standard error is added to this file. */
  readonly logPath: string;
}

/** A process that lives on when this one has ended. */
export interface Detached {
  readonly pid: number;
  /** Its standard output. */
  readonly stdout: ReadableStream<Uint8Array>;
}

/**
 * Starts a process in a session of its own: no terminal is its, and no signal of one reaches it. It works in the root
 * folder, so that it keeps none in use.
 * @throws an error of the system where it cannot be started.
 */
export function startDetached({ argv, env, logPath }: DetachedOptions): Detached {
  const isLong = (statSync(logPath, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX;
  const log = openSync(logPath, isLong ? "w" : "a", OWNER_ONLY);
  try {
    const child = Bun.spawn([...argv], {
      cwd: "/",
      env: { ...env },
      stdio: ["ignore", "pipe", log],
      detached: true,
    });
    child.unref();
    return { pid: child.pid, stdout: child.stdout };
  } finally {
    closeSync(log);
  }
}
