import { inBackground } from "../../layout/in-background.ts";
import type { Services } from "../../layout/services.ts";

/**
 * Asks for the newest of a row of wishes. One question is on its way at a time, so that a slow engine gets no pile of
 * them; the answer to an older wish is dropped.
 */
export class NewestAnswer<Wish extends object, Answer> {
  readonly #ask: (wish: Wish) => Promise<Answer>;
  readonly #answered: (answer: Answer, wish: Wish) => void;
  readonly #services: Pick<Services, "tell">;
  #wanted: Wish | undefined;
  #isAsking = false;

  /** @param answered called with the answer to the newest wish alone. */
  constructor(
    services: Pick<Services, "tell">,
    ask: (wish: Wish) => Promise<Answer>,
    answered: (answer: Answer, wish: Wish) => void,
  ) {
    this.#services = services;
    this.#ask = ask;
    this.#answered = answered;
  }

  /** Wants the answer to this wish, and to no earlier one. */
  want(wish: Wish): void {
    this.#wanted = wish;
    if (!this.#isAsking) inBackground(this.#askAll(), this.#services);
  }

  /** Wants no answer any more. */
  forget(): void {
    this.#wanted = undefined;
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true;
    try {
      for (let wish = this.#wanted; wish !== undefined; wish = this.#wanted) {
        const answer = await this.#ask(wish);
        if (wish !== this.#wanted) continue;
        this.#wanted = undefined;
        this.#answered(answer, wish);
      }
    } finally {
      this.#isAsking = false;
    }
  }
}
