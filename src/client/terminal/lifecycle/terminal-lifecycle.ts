import type { Clock } from "../../../base/world.ts";

/** A terminal that a screen holds. Disposing it ends that: the terminal is restored by then. */
export interface HeldTerminal extends Disposable {
  /** Replaces the control sequences for a terminal whose client was killed. */
  changeModes(modes: string): void;
}

/** The process around a screen, as `screen/` uses it: its end, its stop and its return. */
export interface TerminalLifecycle {
  readonly clock: Pick<Clock, "timer">;
  /**
   * Restores the terminal when this process is killed, and calls `restore` when it ends in another way. Disposing the
   * held terminal ends both.
   * @param modes control sequences for a terminal whose client was killed.
   * @param restore writes at once; it may be called twice.
   * @param continued called when this process runs again after a stop by another program, which had the terminal.
   */
  hold(modes: string, restore: () => void, continued: () => void): HeldTerminal;
  /** Writes to the terminal before it returns. A closed terminal takes nothing, and that is no error. */
  writeNow(text: string): void;
  /**
   * Stops this job as Ctrl-Z does (TUI-01), and calls back once it is continued. Calls back soon if nothing stops
   * it: no shell waits for it.
   */
  stopJob(continued: () => void): void;
}
