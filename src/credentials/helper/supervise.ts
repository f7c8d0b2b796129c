import type { Clock } from "../../base/world.ts";
import type { BrokerMessage, HelperReport } from "./helper-messages.ts";
import type { BeatWatch } from "./watch-beats.ts";
import { watchBeats } from "./watch-beats.ts";

/** Two crashes within this time end the supervision. */
export const CRASHES_MS = 60_000;

/** A helper, in a process or in this one, as its supervisor sees it. */
export interface SupervisedHelper {
  /** Kills it at once. */
  kill(): void;
  /** Lets it end by itself. */
  close(): void;
}

export interface HelperEvents {
  readonly report: (report: HelperReport) => void;
  readonly alive: () => void;
  /** Its pipe has closed, or it has exited. May be called twice. */
  readonly ended: () => void;
}

export interface SupervisorOptions {
  readonly clock: Clock;
  /** Starts a helper. */
  readonly start: (events: HelperEvents) => SupervisedHelper;
  /** Sends a message to the engine. */
  readonly send: (note: Exclude<BrokerMessage, { readonly kind: "signal" }>) => void;
}

/**
 * Keeps one credential helper alive ([A] § Credential-helper supervision, CRED-04).
 *
 * The end of its pipe, or silence over two heartbeats, is a crash: it is killed and another one is started. The
 * second crash within 60 s is reported as a failure, and no other is started. Disposing it ends the helper.
 */
export function superviseHelper({ clock, start, send: tell }: SupervisorOptions): Disposable {
  let generation = 0;
  let helper: SupervisedHelper | undefined;
  let lastCrashMs: number | undefined;
  let watch: BeatWatch | undefined;
  let over = false;

  function open(): void {
    generation += 1;
    const mine = generation;
    watch?.alive();
    const events: HelperEvents = {
      report(report) {
        if (mine !== generation || over) return;
        if (report.kind === "refused") end(); // asking again would get the same answer
        tell(report);
      },
      alive() {
        if (mine === generation) watch?.alive();
      },
      ended() {
        if (mine === generation && !over) crashed();
      },
    };
    try {
      helper = start(events);
    } catch {
      crashed(); // the program was replaced, or no further process can start
    }
  }
  function crashed(): void {
    generation += 1; // later messages of the old one are ignored
    helper?.kill();
    const nowMs = clock.monotonic();
    const again = lastCrashMs !== undefined && nowMs - lastCrashMs <= CRASHES_MS;
    lastCrashMs = nowMs;
    if (again) {
      end();
      tell({ kind: "failed", times: 2 });
      return;
    }
    tell({ kind: "down" });
    open();
  }
  function end(): void {
    over = true;
    watch?.[Symbol.dispose]();
    helper?.close();
  }

  open();
  if (!over) watch = watchBeats(clock, crashed);
  return { [Symbol.dispose]: end };
}
