import type { LogId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";

/** Time limits of the turns that run now, by the log of their session. */
export class TurnTimes {
  readonly #clock: Clock;
  readonly #msMax: number | undefined;
  readonly #signals = new Map<LogId, AbortSignal>();

  /** @param msMax limit of one turn; absent: none. */
  constructor(clock: Clock, msMax: number | undefined) {
    this.#clock = clock;
    this.#msMax = msMax;
  }

  /** Begins the time of a session's turn, which ends with its disposal. A turn that runs already keeps its time. */
  begin(logId: LogId): Disposable {
    if (this.#msMax === undefined || this.#signals.has(logId)) return { [Symbol.dispose]: () => undefined };
    const over = new AbortController();
    this.#signals.set(logId, over.signal);
    const timer = this.#clock.timer(this.#msMax, () =>
      over.abort(new Error("no answer before the time of the turn was over")),
    );
    return {
      [Symbol.dispose]: () => {
        timer[Symbol.dispose]();
        this.#signals.delete(logId);
      },
    };
  }

  /** Returns a signal that aborts when the time of the session's turn is over; undefined without one. */
  signalOf(logId: LogId): AbortSignal | undefined {
    return this.#signals.get(logId);
  }
}
