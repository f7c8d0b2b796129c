import type { Clock } from "../../base/world.ts";

/** No key counts as an answer until no key was pressed for this time. */
export const QUIET_MS = 300;
/** Keys that waited while the process was busy are read within this time after the quiet time, and end it. */
const LATE_READ_MS = 10;

/**
 * Decides when keys start to answer a question: once it has been on the screen for `QUIET_MS` without any key
 * (PERM-14). A question that follows another one starts with another quiet time.
 */
export class AnswerGuard implements Disposable {
  readonly #clock: Pick<Clock, "timer">;
  readonly #opened: () => void;
  #question: object | undefined;
  #quiet: Disposable | undefined;

  /** @param opened called when keys start to answer the question. */
  constructor(clock: Pick<Clock, "timer">, opened: () => void) {
    this.#clock = clock;
    this.#opened = opened;
  }

  /** `none`: no question; `waiting`: keys do not answer yet; `open`: they do. */
  get state(): "none" | "waiting" | "open" {
    if (this.#question === undefined) return "none";
    return this.#quiet === undefined ? "open" : "waiting";
  }

  /** The question on the screen, or undefined. The same object is the same question. */
  get question(): object | undefined {
    return this.#question;
  }

  /** Takes the question that is on the screen now. Returns false if it is the same as before. */
  ask(question: object | undefined): boolean {
    if (question === this.#question) return false;
    this[Symbol.dispose]();
    this.#question = question;
    if (question !== undefined) this.#wait();
    return true;
  }

  /** Counts a key, or a paste. */
  key(): void {
    if (this.#quiet !== undefined) this.#wait();
  }

  /** Counts a paste: keys answer again after another quiet time. */
  pasted(): void {
    if (this.#question !== undefined) this.#wait();
  }

  #wait(): void {
    this.#quiet?.[Symbol.dispose]();
    this.#quiet = this.#clock.timer(QUIET_MS, () => {
      this.#quiet = this.#clock.timer(LATE_READ_MS, () => {
        this.#quiet = undefined;
        this.#opened();
      });
    });
  }

  [Symbol.dispose](): void {
    this.#quiet?.[Symbol.dispose]();
    this.#quiet = undefined;
    this.#question = undefined;
  }
}
