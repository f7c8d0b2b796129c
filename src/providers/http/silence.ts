import type { Clock } from "../../base/world.ts";
import type { Silence } from "../provider.ts";

/** A silence is reported before it has lasted 10 s, however long it may last (R07). */
export const SILENCE_REPORTED_MS = 9_000;

/** A wait and its limit. */
export interface Phase {
  /** Completes "sent nothing while …". */
  readonly name: string;
  readonly msMax: number;
}

export interface SilenceHooks {
  /** Called once per silence, after `SILENCE_TOLD_MS`. */
  readonly onSilence: (silence: Silence) => void;
  /** Called when the phase reaches its limit; no further call follows. */
  readonly onLimit: (phase: Phase) => void;
}

/**
 * Measures how long a provider sends nothing during a wait.
 *
 * An answer is hundreds of short waits. They share one timer, which checks again when it fires, since a timer per
 * wait costs more than reading the data (PERF-02).
 */
export class SilenceWatch implements Disposable {
  readonly #clock: Clock;
  readonly #hooks: SilenceHooks;
  #phase: Phase | undefined;
  #sinceMs = 0;
  #isTold = false;
  #timer: Disposable | undefined;
  /** Time at which the timer fires; never later than the next thing to do. */
  #dueMs = Number.POSITIVE_INFINITY;

  constructor(clock: Clock, hooks: SilenceHooks) {
    this.#clock = clock;
    this.#hooks = hooks;
  }

  /** Starts a wait. */
  start(phase: Phase): void {
    this.#phase = phase;
    this.#sinceMs = this.#clock.monotonic();
    this.#isTold = false;
    const dueMs = this.#sinceMs + Math.min(SILENCE_REPORTED_MS, phase.msMax);
    if (dueMs < this.#dueMs) this.#arm(dueMs);
  }

  /** Ends the wait when data came: until the next `start` the reader may take its time. */
  stop(): void {
    this.#phase = undefined;
  }

  [Symbol.dispose](): void {
    this.stop();
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #arm(dueMs: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#dueMs = dueMs;
    this.#timer = this.#clock.timer(dueMs - this.#clock.monotonic(), () => this.#look());
  }

  #look(): void {
    this.#timer = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
    const phase = this.#phase;
    if (phase === undefined) return;
    const ms = this.#clock.monotonic() - this.#sinceMs;
    if (ms >= phase.msMax) {
      this.#hooks.onLimit(phase);
      return;
    }
    if (ms >= SILENCE_REPORTED_MS && !this.#isTold) {
      this.#isTold = true;
      this.#hooks.onSilence({ phase: phase.name, ms, msMax: phase.msMax });
    }
    this.#arm(this.#sinceMs + (this.#isTold ? phase.msMax : Math.min(SILENCE_REPORTED_MS, phase.msMax)));
  }
}
