import { closeSync, constants, openSync, statSync } from "node:fs";
import { defined } from "../../base/defined.ts";
import { asError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Child, ChildInput, Exit, Spawn, SpawnOptions } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { openAnnouncement } from "./announcement.ts";
import type { Leader } from "./child-output.ts";
import { ChildOutput } from "./child-output.ts";
import type { Pipe } from "./pipe.ts";
import { hasKernelPipes, openPipe } from "./pipe.ts";
import type { ProcessGroup } from "./process-group.ts";
import { endGroup, scanGroup, signalGroup, waitForExiting } from "./process-group.ts";
import type { Watching } from "./watchdog.ts";
import { watchdog } from "./watchdog.ts";

/** Wait for the end of a killed leader: one that hangs in the kernel must not block this process. */
const EXIT_WAIT_MS_MAX = 500;
const NO_PIPES =
  "the C library cannot be called here, so commands write to sockets: what they open as /dev/stdout or /dev/stderr fails";

/**
 * Returns a function that starts processes, each as the leader of its own group and session (ENG-09, REL-03).
 *
 * Leaving the scope of a child ends its whole group within 2 s, even if the leader has exited. It also ends processes
 * that left the group, as far as `process-group.ts` finds them. A watchdog does the same if this process is killed.
 *
 * Outputs are pipes. If Linux provides none they are sockets, which it cannot open as /dev/stdout and /dev/stderr; a
 * warning is logged once.
 */
export function hostSpawn(log: Log): Spawn {
  let isWarned = process.platform !== "linux"; // on other systems sockets serve as well
  return (options) => {
    if (!isWarned && !hasKernelPipes()) {
      isWarned = true;
      log.for("spawn").write("warn", NO_PIPES);
    }
    let watching: Watching | undefined;
    try {
      watching = watchdog().watch({ ...markOf(options), graceful: options.talks === true });
      return start(options, watching);
    } catch (thrown) {
      watching?.leave();
      return neverStarted(explained(asError(thrown), options));
    }
  };
}

function start(options: SpawnOptions, watching: Watching): Child {
  const { argv, cwd, env, stdin, inherit = [], announces } = options;
  const hasInput = options.talks === true || options.held === true;
  const startedAtMs = performance.now();
  using further = descriptors(inherit);
  using out = openPipe();
  using err = openPipe();
  using announcing = announces === true ? openAnnouncement() : undefined;
  const child = Bun.spawn([...argv], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: [
      hasInput ? "pipe" : stdin === undefined ? "ignore" : bytesOf(stdin),
      out?.writeEnd ?? "pipe",
      err?.writeEnd ?? "pipe",
      ...further.numbers,
      ...(announcing?.numbers ?? []),
    ],
    lazy: true, // else Bun reads ahead without a limit
  });
  const announcement = announcing?.take();
  const stdout = outputOf(out, child.stdout);
  const stderr = outputOf(err, child.stderr);
  const leader = new ExitWatch();
  const group: ProcessGroup = {
    leader: child.pid,
    startedAtMs,
    ...markOf(options),
    hasExited: () => leader.exited,
  };
  watching.started(child.pid);
  const exited = child.exited.then((code): Exit => {
    leader.tell();
    announcement?.end();
    return child.signalCode === null
      ? { kind: "code", code }
      : { kind: "signal", signal: String(child.signalCode) };
  });
  let hasEnded = false;
  let isQuiet = false;
  let ended: Promise<void> | undefined;

  /** An empty group never has members again, but its number may be reused. */
  function isGone(): boolean {
    if (hasEnded || !leader.exited) return hasEnded;
    const scan = scanGroup(group);
    if (scan.living.length > 0) return false;
    hasEnded = true;
    isQuiet = scan.isQuiet;
    watching.leave();
    return true;
  }
  async function end(): Promise<void> {
    if (!isGone()) await endGroup(group);
    if (!isQuiet) await waitForExiting(group);
    await Promise.race([exited, Bun.sleep(EXIT_WAIT_MS_MAX)]);
    await Promise.all([stdout.leaveUnread(), stderr.leaveUnread()]);
    watching.leave();
  }
  const input = hasInput ? inputOf(child.stdin) : undefined;
  return {
    pid: child.pid,
    ...defined({ input, announcement }),
    stdout: { [Symbol.asyncIterator]: () => stdout.read(leader) },
    stderr: { [Symbol.asyncIterator]: () => stderr.read(leader) },
    exited,
    leftBehind: () => leader.exited && !isGone(),
    kill: (signal) => (isGone() ? undefined : signalGroup(group, signal)),
    async [Symbol.asyncDispose]() {
      ended ??= end();
      await ended;
    },
  };
}

/** @param made the runtime's output of the child, if there was no pipe. */
function outputOf(pipe: Pipe | undefined, made: unknown): ChildOutput {
  if (pipe !== undefined) {
    const reader = pipe.take();
    return new ChildOutput(() => reader);
  }
  if (!(made instanceof ReadableStream)) throw new TypeError("the runtime gave a child no output");
  return new ChildOutput(() => made.getReader());
}

/** @param made the runtime's input of the child. */
function inputOf(made: unknown): ChildInput {
  if (typeof made !== "object" || made === null || !("write" in made))
    throw new TypeError("the runtime gave a child no input");
  const sink = made as Bun.FileSink;
  return {
    async write(bytes) {
      await sink.write(bytes);
      await sink.flush();
    },
    // A failure here needs no report: the child's end is seen elsewhere.
    end: () => void Promise.resolve(sink.end()).catch(() => undefined),
  };
}

/** Closes descriptors opened for the child as soon as it has its own. */
function descriptors(
  inherit: NonNullable<SpawnOptions["inherit"]>,
): { readonly numbers: readonly number[] } & Disposable {
  const opened: number[] = [];
  const close = () => {
    for (const each of opened) closeSync(each);
  };
  try {
    const numbers = inherit.map((each) => {
      if (typeof each === "number") return each;
      const descriptor = openSync(each.path, constants.O_RDONLY | constants.O_NOFOLLOW);
      opened.push(descriptor);
      return descriptor;
    });
    return { numbers, [Symbol.dispose]: close };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

/** Records the exit of the leader and calls the listeners. */
class ExitWatch implements Leader {
  exited = false;
  readonly #callbacks: (() => void)[] = [];

  onExit(callback: () => void): void {
    if (this.exited) callback();
    else this.#callbacks.push(callback);
  }

  tell(): void {
    this.exited = true;
    for (const callback of this.#callbacks.splice(0)) callback();
  }
}

function markOf({ env, mark }: SpawnOptions): Pick<ProcessGroup, "mark"> {
  const value = mark === undefined ? undefined : env[mark];
  return value === undefined ? {} : { mark: `${mark}=${value}` };
}

function bytesOf(stdin: string | Uint8Array): Uint8Array {
  return typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
}

/** The system blames the program when in fact the directory is missing. */
function explained(error: Error, { argv, cwd }: SpawnOptions): Error {
  const code = codeOf(error);
  const text = isDirectory(cwd)
    ? `cannot start ${argv[0]}: ${error.message}`
    : `cannot start ${argv[0]}: there is no directory ${cwd}`;
  return Object.assign(new Error(text, { cause: error }), defined({ code }));
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // missing or unreadable: either way the child cannot start there
  }
}

function neverStarted(error: Error): Child {
  return {
    pid: 0,
    stdout: nothing(),
    stderr: nothing(),
    exited: Promise.resolve({ kind: "failed", error }),
    leftBehind: () => false,
    kill: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
