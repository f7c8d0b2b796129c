import type { Clock } from "../../base/world.ts";

/** Interval of the signs of life of a process that holds keys. */
export const HELPER_HEARTBEAT_MS = 5_000;
/** Consecutive checks, a heartbeat apart, without a sign of life that count as a crash. */
const SILENT_LOOKS_MAX = 2;

/** A watch over another process. Disposing it ends the watch. */
export interface BeatWatch extends Disposable {
  /** Takes a sign of life. */
  alive(): void;
}

/**
 * Watches for signs of life, and calls `onSilent` after two heartbeats without one, again and again. Checks are
 * counted, not time, so that a suspended machine or job misses none.
 */
export function watchBeats(clock: Pick<Clock, "timer">, onSilent: () => void): BeatWatch {
  let silentLooks = 0;
  let looking: Disposable | undefined;
  let over = false;

  function look(): void {
    looking = clock.timer(HELPER_HEARTBEAT_MS, () => {
      silentLooks += 1;
      if (silentLooks >= SILENT_LOOKS_MAX) {
        silentLooks = 0;
        onSilent();
      }
      if (!over) look();
    });
  }

  look();
  return {
    alive() {
      silentLooks = 0;
    },
    [Symbol.dispose]() {
      over = true;
      looking?.[Symbol.dispose]();
    },
  };
}

/** Calls `beat` at each heartbeat. Disposing it ends the beats. */
export function beatRegularly(clock: Pick<Clock, "timer">, beat: () => void): Disposable {
  let waiting = next();
  function next(): Disposable {
    return clock.timer(HELPER_HEARTBEAT_MS, () => {
      beat();
      waiting = next();
    });
  }
  return { [Symbol.dispose]: () => waiting[Symbol.dispose]() };
}
