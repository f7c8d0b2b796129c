/** Texts by which what was typed is found: one character each, which nothing else has. */
const FIRST = 0x4e00;
const COUNT = 0x5000;

/** A text that is in no place yet may be on its way to one for so long. */
const ON_ITS_WAY_MS = 3_000;

/**
 * Follows texts of a person: each must be in the draft, in the history, in a draft that a session keeps, on its way, or
 * with the engine, until the person deletes it.
 */
export class TypedTexts {
  #next = 0;
  /** Each text that must be somewhere, with the moment since which it is nowhere. */
  readonly #followed = new Map<string, number | undefined>();

  /** Returns a character that no earlier text has. */
  mark(): string {
    this.#next += 1;
    return String.fromCharCode(FIRST + (this.#next % COUNT));
  }

  follow(mark: string): void {
    this.#followed.set(mark, undefined);
  }

  /** Gives up texts that a person has taken out of the draft. */
  deleted(before: string, after: string): void {
    for (const mark of this.#followed.keys())
      if (before.includes(mark) && !after.includes(mark)) this.#followed.delete(mark);
  }

  /** Returns a text that has been nowhere for too long; undefined if there is none. */
  lost(places: readonly string[], nowMs: number, isOver = false): string | undefined {
    for (const [mark, sinceMs] of this.#followed) {
      if (places.some((place) => place.includes(mark))) {
        if (sinceMs !== undefined) this.#followed.set(mark, undefined);
        continue;
      }
      if (sinceMs === undefined) this.#followed.set(mark, nowMs);
      if (isOver || nowMs - (sinceMs ?? nowMs) > ON_ITS_WAY_MS) return mark;
    }
    return undefined;
  }
}
