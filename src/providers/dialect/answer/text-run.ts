import { isHighSurrogate, wellFormed } from "../../../base/text/text.ts";

/**
 * Accumulates a text that arrives in deltas.
 *
 * Some servers split a surrogate pair across deltas. The first half waits here for the second, so that every delta is
 * well-formed and the joined deltas are the whole text (R05, R06).
 */
export class TextRun {
  #text = "";
  #half = "";

  /** Takes a delta and returns the part that can be shown now, which may be empty. */
  push(delta: string): string {
    const text = this.#half + delta;
    const endsInHalf = isHighSurrogate(text.charCodeAt(text.length - 1));
    this.#half = endsInHalf ? text.slice(-1) : "";
    const shown = wellFormed(endsInHalf ? text.slice(0, -1) : text);
    this.#text += shown;
    return shown;
  }

  /** Returns the rest at the end: U+FFFD for a half that never got its other one. */
  end(): string {
    const shown = wellFormed(this.#half);
    this.#half = "";
    this.#text += shown;
    return shown;
  }

  get text(): string {
    return this.#text;
  }
}
