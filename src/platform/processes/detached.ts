import { closeSync, openSync, statSync } from "node:fs";

/** A log larger than this is restarted. */
const LOG_BYTES_MAX = 1_048_576;
const OWNER_ONLY = 0o600;

export interface DetachedOptions {
  readonly argv: readonly [string, ...string[]];
  /** The whole environment of the process: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** File that its standard error is appended to. */
  readonly logPath: string;
}

/** A process that survives this one. */
export interface DetachedProcess {
  readonly pid: number;
  /** Its standard output. */
  readonly stdout: ReadableStream<Uint8Array>;
}

/**
 * Starts a process in a separate session: without a terminal and its signals. It works in the root folder, so that it
 * keeps no other folder in use.
 * @throws a system error if it cannot be started.
 */
export function startDetached({ argv, env, logPath }: DetachedOptions): DetachedProcess {
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
