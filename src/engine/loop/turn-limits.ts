import type { Clock } from "../../base/world.ts";

/** Rounds of a turn with all its sub-agents, where nobody has set a limit of rounds (ENG-29). */
export const TREE_ROUNDS_MAX = 500;

export interface TurnLimitsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Rounds of one turn, with those of everything below it. */
  readonly roundsMax: number;
  /** Milliseconds for one turn; absent: no limit. */
  readonly msMax?: number;
  /** When the whole run is over, by the monotonic clock; absent: never. */
  readonly endsAtMs?: number;
}

/**
 * The limits of a turn with everything below it: sub-agents and tasks that are handed on (ENG-29).
 *
 * One object for a session, because a session runs one turn at a time.
 */
export class TurnLimits {
  readonly #options: TurnLimitsOptions;
  #rounds = 0;
  #endsAtMs: number;
  #msMax: number | undefined;

  constructor(options: TurnLimitsOptions) {
    this.#options = options;
    this.#endsAtMs = options.endsAtMs ?? Number.POSITIVE_INFINITY;
    this.#msMax = options.msMax;
  }

  /** Lowers the time limit of the turns that begin from now on. A higher one changes nothing. */
  lowerTime(ms: number): void {
    this.#msMax = Math.min(ms, this.#msMax ?? ms);
  }

  /** Starts counting for a new turn. */
  begin(): void {
    const { clock, endsAtMs = Number.POSITIVE_INFINITY } = this.#options;
    this.#rounds = 0;
    this.#endsAtMs = Math.min(endsAtMs, clock.monotonic() + (this.#msMax ?? Number.POSITIVE_INFINITY));
  }

  get roundsMax(): number {
    return this.#options.roundsMax;
  }

  /** Rounds that the turn may still begin. */
  get roundsLeft(): number {
    return Math.max(0, this.#options.roundsMax - this.#rounds);
  }

  /** Milliseconds that are left, at least 1; undefined without a limit. */
  get msLeft(): number | undefined {
    if (this.#endsAtMs === Number.POSITIVE_INFINITY) return undefined;
    return Math.max(1, Math.ceil(this.#endsAtMs - this.#options.clock.monotonic()));
  }

  /** Milliseconds of the limit that `msLeft` counts down, for a message. */
  get msMax(): number | undefined {
    return this.#msMax;
  }

  /** Counts rounds that were begun. */
  count(rounds: number): void {
    this.#rounds += rounds;
  }
}
