import type { Clock } from "../../base/world.ts";

/** Limit of rounds of a turn with all its sub-agents, if none is configured (ENG-29). */
export const TREE_ROUNDS_MAX = 500;

export interface TurnLimitsOptions {
  readonly clock: Pick<Clock, "monotonic">;
  /** Returns the limits of turns that begin from now on. */
  readonly limits: () => TurnLimitValues;
}

/** Limits of one turn with everything below it. */
export interface TurnLimitValues {
  readonly roundsMax: number;
  /** Milliseconds for one turn; absent: no limit. */
  readonly msMax?: number;
  /** End of the whole run, by the monotonic clock; absent: never. */
  readonly endsAtMs?: number;
}

/**
 * Limits of a turn with everything below it: sub-agents and delegated tasks (ENG-29).
 *
 * One object per session, because a session runs one turn at a time.
 */
export class TurnLimits {
  readonly #options: TurnLimitsOptions;
  #rounds = 0;
  #now: TurnLimitValues;
  #endsAtMs: number;

  constructor(options: TurnLimitsOptions) {
    this.#options = options;
    this.#now = options.limits();
    this.#endsAtMs = this.#now.endsAtMs ?? Number.POSITIVE_INFINITY;
  }

  /** Starts counting for a new turn. */
  begin(): void {
    this.#now = this.#options.limits();
    const { endsAtMs = Number.POSITIVE_INFINITY, msMax = Number.POSITIVE_INFINITY } = this.#now;
    this.#rounds = 0;
    this.#endsAtMs = Math.min(endsAtMs, this.#options.clock.monotonic() + msMax);
  }

  get roundsMax(): number {
    return this.#now.roundsMax;
  }

  /** Rounds that the turn may still begin. */
  get roundsLeft(): number {
    return Math.max(0, this.roundsMax - this.#rounds);
  }

  /** Remaining milliseconds, at least 1; undefined without a limit. */
  get msLeft(): number | undefined {
    if (this.#endsAtMs === Number.POSITIVE_INFINITY) return undefined;
    return Math.max(1, Math.ceil(this.#endsAtMs - this.#options.clock.monotonic()));
  }

  /** Milliseconds of the limit that `msLeft` counts down, for a message. */
  get msMax(): number | undefined {
    return this.#now.msMax;
  }

  /** Counts rounds that were begun. */
  count(rounds: number): void {
    this.#rounds += rounds;
  }
}
