import type { Clock } from "../../base/world.ts";

/** Milliseconds that an idle session keeps its conversation in memory; then only the log has it. */
export const HISTORY_KEPT_MS = 60_000;

export interface IdleWatchOptions {
  readonly clock: Clock;
  /** Returns the milliseconds of idleness after which it ends; 0: never. */
  timeoutMs(): number;
  /** Returns true if a turn runs, or work that excludes one. */
  busy(): boolean;
  /** Returns true if something else keeps it alive: a follower, a background task, a pin. */
  isKeptAlive(): boolean;
  /** Drops what can be read from the log again. */
  release(): void;
  /** Ends the session. */
  end(): void;
}

/**
 * Ends an idle session, and before that frees its memory ([A] § Idle, SES-11).
 *
 * It holds at most one timer, and none while a turn runs or when nothing is left to wait for: an idle session costs
 * no time.
 */
export class IdleWatch implements Disposable {
  readonly #options: IdleWatchOptions;
  #sinceMs: number;
  #released = false;
  #timer: Disposable | undefined;
  #disposed = false;

  constructor(options: IdleWatchOptions) {
    this.#options = options;
    this.#sinceMs = options.clock.monotonic();
  }

  /** Restarts the idle time. */
  touch(): void {
    this.#sinceMs = this.#options.clock.monotonic();
    this.#released = false;
    this.#arm();
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#disarm();
  }

  #disarm(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#disarm();
    const { clock, busy } = this.#options;
    const dueMs = this.#disposed || busy() ? undefined : this.#dueMs();
    if (dueMs === undefined) return;
    this.#timer = clock.timer(Math.max(0, dueMs - clock.monotonic()), () => {
      this.#timer = undefined;
      this.#fire();
    });
  }

  /** Returns the time of the next action. */
  #dueMs(): number | undefined {
    const { isKeptAlive } = this.#options;
    const timeoutMs = this.#options.timeoutMs();
    if (!this.#released) return this.#sinceMs + Math.min(HISTORY_KEPT_MS, timeoutMs || HISTORY_KEPT_MS);
    return timeoutMs === 0 || isKeptAlive() ? undefined : this.#sinceMs + timeoutMs;
  }

  #fire(): void {
    const { clock, busy, isKeptAlive, release, end } = this.#options;
    const timeoutMs = this.#options.timeoutMs();
    if (busy()) return; // it is touched when that ends
    if (!this.#released) {
      this.#released = true;
      release();
    }
    const isOver = timeoutMs > 0 && !isKeptAlive() && clock.monotonic() - this.#sinceMs >= timeoutMs;
    if (isOver) end();
    else this.#arm();
  }
}
