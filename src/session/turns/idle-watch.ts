import type { Clock } from "../../base/world.ts";

/** How long a session that does nothing keeps its conversation in memory; then the log alone has it. */
export const HISTORY_KEPT_MS = 60_000;

export interface IdleWatchOptions {
  readonly clock: Clock;
  /** After how long with nothing to do it ends; 0: never. */
  readonly timeoutMs: number;
  /** Whether a turn runs, or something that must not run beside one. */
  busy(): boolean;
  /** Whether something keeps it alive that is no turn: a follower, a background task, a pin. */
  kept(): boolean;
  /** Lets go of what can be had from the log again. */
  release(): void;
  /** Ends the session. */
  end(): void;
}

/**
 * Ends a session that nobody needs, and before that lets go of its memory ([A] § Idle, SES-11).
 *
 * It holds at most one timer, and none while a turn runs or when there is nothing left to wait for: an idle session
 * costs no time.
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

  /** Something happened: the time counts from now on. */
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

  /** The moment of the next thing to do. */
  #dueMs(): number | undefined {
    const { timeoutMs, kept } = this.#options;
    if (!this.#released) return this.#sinceMs + Math.min(HISTORY_KEPT_MS, timeoutMs || HISTORY_KEPT_MS);
    return timeoutMs === 0 || kept() ? undefined : this.#sinceMs + timeoutMs;
  }

  #fire(): void {
    const { clock, timeoutMs, busy, kept, release, end } = this.#options;
    if (busy()) return; // it is touched once that is over
    if (!this.#released) {
      this.#released = true;
      release();
    }
    const isOver = timeoutMs > 0 && !kept() && clock.monotonic() - this.#sinceMs >= timeoutMs;
    if (isOver) end();
    else this.#arm();
  }
}
