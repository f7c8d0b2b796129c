import type { Clock } from "../../base/world.ts";
import type { HelperReport, KeeperNote } from "./wire.ts";

/** The helper gives a sign of life this often. */
export const HEARTBEAT_MS = 5_000;
/** So many looks in a row, a heartbeat apart, without a sign of life are a crash. */
const SILENT_LOOKS_MAX = 2;
/** Two crashes within this time are the end of it. */
export const CRASHES_MS = 60_000;

/** A helper process, as its supervisor sees it. */
export interface SupervisedHelper {
  /** Ends it at once. */
  kill(): void;
  /** Lets it end by itself. */
  close(): void;
}

export interface HelperEvents {
  readonly report: (report: HelperReport) => void;
  readonly alive: () => void;
  /** Its pipe has ended, or it has exited. May be told twice. */
  readonly ended: () => void;
}

export interface SupervisorParts {
  readonly clock: Clock;
  /** Starts a helper. */
  readonly start: (events: HelperEvents) => SupervisedHelper;
  /** Told what the engine has to know. */
  readonly tell: (note: Exclude<KeeperNote, { readonly kind: "signal" }>) => void;
}

/**
 * Keeps one credential helper alive ([A] § Credential-helper supervision, CRED-04).
 *
 * The end of its pipe, or silence over two heartbeats, is a crash: what is left of it is killed and another one is
 * started. The second crash within 60 s is told as a failure, and none is started any more. Looks are counted, not
 * time: a machine that slept, or a job that was stopped, misses none. Disposing it ends the helper.
 */
export function superviseHelper({ clock, start, tell }: SupervisorParts): Disposable {
  let generation = 0;
  let helper: SupervisedHelper | undefined;
  let lastCrashMs: number | undefined;
  let silentLooks = 0;
  let looking: Disposable | undefined;
  let over = false;

  function open(): void {
    generation += 1;
    const mine = generation;
    silentLooks = 0;
    const events: HelperEvents = {
      report(report) {
        if (mine !== generation || over) return;
        if (report.kind === "refused") end(); // asking again would be answered alike
        tell(report);
      },
      alive() {
        if (mine === generation) silentLooks = 0;
      },
      ended() {
        if (mine === generation && !over) crashed();
      },
    };
    try {
      helper = start(events);
    } catch {
      crashed(); // the program was replaced meanwhile, or there is no room for another process
    }
  }
  function crashed(): void {
    generation += 1; // what the old one still says counts no more
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
  function look(): void {
    looking = clock.timer(HEARTBEAT_MS, () => {
      silentLooks += 1;
      if (silentLooks >= SILENT_LOOKS_MAX) crashed();
      if (!over) look();
    });
  }
  function end(): void {
    over = true;
    looking?.[Symbol.dispose]();
    helper?.close();
  }

  open();
  if (!over) look();
  return { [Symbol.dispose]: end };
}
