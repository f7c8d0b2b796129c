import { isHighSurrogate, wellFormed } from "../../../base/text/text.ts";

/**
 * A text that arrives in deltas.
 *
 * Some servers cut a character in two halves of a surrogate pair: the first half waits here for its second, so that
 * every delta given on is well-formed and all of them joined are the whole text (R05, R06).
 */
export class TextRun {
  #text = "";
  #half = "";

  /** Takes a delta; the answer is what may be shown of it now, perhaps nothing. */
  push(delta: string): string {
    const text = this.#half + delta;
    const endsInHalf = isHighSurrogate(text.charCodeAt(text.length - 1));
    this.#half = endsInHalf ? text.slice(-1) : "";
    const shown = wellFormed(endsInHalf ? text.slice(0, -1) : text);
    this.#text += shown;
    return shown;
  }

  /** What is left to be shown at the end: the replacement of a half that never got its other one. */
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
