import { readlinkSync } from "node:fs";
import type { Clock } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import { watchdog } from "../../../platform/processes/watchdog.ts";

/** The first screen comes before a process that is needed only when this one is killed. */
const START_MS = 100;

export interface TerminalGuardOptions {
  /** Control sequences that end what this process has switched on. Default: those of bracketed paste alone. */
  readonly modes?: string;
  /** Milliseconds until the guard starts. Default: 100. A kill before that leaves the terminal unrestored. */
  readonly afterMs?: number;
}

export interface TerminalGuard extends Disposable {
  /** Replaces the control sequences; the terminal is guarded meanwhile. */
  changeModes(modes: string): void;
}

/**
 * Restores the terminal of standard input for the shell if this process is killed (Linux). Disposing it stops the
 * guard.
 */
export function guardTerminal(
  clock: Pick<Clock, "timer">,
  { modes, afterMs = START_MS }: TerminalGuardOptions = {},
): TerminalGuard {
  let guard: Disposable | undefined;
  let wanted = modes;
  const replace = (path: string | undefined) => {
    const before = guard;
    guard = path === undefined ? undefined : watchdog().guardTerminal(path, wanted);
    before?.[Symbol.dispose]();
  };
  const start = clock.timer(afterMs, () => replace(terminalPath()));
  return {
    changeModes(next) {
      wanted = next;
      if (guard !== undefined) replace(terminalPath());
    },
    [Symbol.dispose]() {
      start[Symbol.dispose]();
      guard?.[Symbol.dispose]();
    },
  };
}

function terminalPath(): string | undefined {
  try {
    return readlinkSync("/proc/self/fd/0");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined; // no Linux
    throw thrown;
  }
}
