import type { EventSeq } from "../../../../base/ids.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import { isTurnStarted } from "../../../../view/turn-marks.ts";

/** Steps that can be taken back one by one; beyond that a jump to a turn leads further back. */
export const STEPS_BACK_MAX = 10_000;
/** Turns whose events are remembered; an older one is looked for in the log. */
export const TURNS_NOTED_MAX = 1_000;

/** The way through a log so far: the newest shown events, and those that start turns. */
export class StepTrail {
  /** Shown events in the order of the log, at most `STEPS_BACK_MAX`. */
  #shown: EventSeq[] = [];
  /** Events that start turns, by their numbers, at most `TURNS_NOTED_MAX`. */
  readonly #turns = new Map<number, EventSeq>();
  #hasForgotten = false;
  #hasForgottenTurns = false;

  noteStep(event: EventSeq): void {
    this.#shown.push(event);
    if (this.#shown.length <= STEPS_BACK_MAX) return;
    this.#shown.shift();
    this.#hasForgotten = true;
  }

  noteTurn(event: Envelope): void {
    if (!isTurnStarted(event)) return;
    this.#turns.set(event.payload.turn, event.id);
    if (this.#turns.size <= TURNS_NOTED_MAX) return;
    for (const oldest of this.#turns.keys().take(1)) this.#turns.delete(oldest);
    this.#hasForgottenTurns = true;
  }

  /** Forgets what comes after an event. */
  cutAfter(event: EventSeq): void {
    this.#shown = this.#shown.filter((each) => each <= event);
    if (event === 0) this.#hasForgotten = this.#hasForgottenTurns = false;
    for (const [turn, at] of this.#turns) if (at > event) this.#turns.delete(turn);
  }

  /** Returns the event shown before the last one, or the first event; undefined if it is forgotten. */
  get before(): EventSeq | undefined {
    return this.#shown.at(-2) ?? (this.#hasForgotten ? undefined : 1);
  }

  /** Event of the last step; undefined before the first. */
  get last(): EventSeq | undefined {
    return this.#shown.at(-1);
  }

  /**
   * Returns the event that starts the turn of the last step, or that of the turn before if the step is that event.
   * Undefined if it is forgotten.
   */
  get turnBefore(): EventSeq | undefined {
    const [here, before] = [...this.#turns.values()].sort((a, b) => b - a);
    return (this.last === here ? before : here) ?? (this.#hasForgottenTurns ? undefined : 1);
  }

  /** Returns the event that starts a turn; undefined if the turn was not read or is forgotten. */
  turn(number: number): EventSeq | undefined {
    return this.#turns.get(number);
  }

  /** Number of the newest turn that was read. */
  get newestTurn(): number {
    return this.#turns.keys().reduce((newest, turn) => Math.max(newest, turn), 0);
  }
}
