import { writeSync } from "node:fs";
import type { Clock } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { TerminalLifecycle } from "../../../client/terminal/lifecycle/terminal-lifecycle.ts";
import { FIRST_KEYS_MS } from "../../first-frame/first-keys.ts";
import { guardTerminal } from "../../io/terminal/terminal-guard.ts";

/** A signal to stop has stopped the job by then, or never will. */
const STOPPED_MS = 200;
const [OUTPUT, OWN_GROUP] = [1, 0];
/** Errors of a terminal that is gone, belongs to another job, or does not take the text at once. */
const CLOSED = ["EIO", "EBADF", "ENXIO", "EPIPE", "EAGAIN"];

let held: (() => void) | undefined;

/** Restores the terminal if a screen holds it: what is printed from now on stays visible. */
export function giveTerminalBack(): void {
  held?.();
}

/** Returns the life of this process for a screen on its terminal. */
export function terminalLifecycle(clock: Pick<Clock, "sleep" | "timer">): TerminalLifecycle {
  return {
    clock,
    hold(modes, restore, continued) {
      const guard = guardTerminal(clock, { modes, afterMs: FIRST_KEYS_MS });
      held = restore;
      process.once("exit", restore);
      process.on("SIGCONT", continued);
      return {
        changeModes: (next) => guard.changeModes(next),
        [Symbol.dispose]() {
          if (held === restore) held = undefined;
          process.off("exit", restore);
          process.off("SIGCONT", continued);
          guard[Symbol.dispose]();
        },
      };
    },
    writeNow(text) {
      try {
        writeSync(OUTPUT, text);
      } catch (thrown) {
        if (!CLOSED.includes(codeOf(thrown) ?? "")) throw thrown;
      }
    },
    stopJob(continued) {
      process.kill(OWN_GROUP, "SIGTSTP");
      // A stopped process waits here. The sleep keeps the event loop awake, which no signal does.
      void clock.sleep(STOPPED_MS, new AbortController().signal).then(continued);
    },
  };
}
