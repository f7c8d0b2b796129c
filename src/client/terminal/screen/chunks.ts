import { BracketedPaste, isBurst, PASTE_BEGIN, PASTE_END } from "../../../view/terminal/bracketed-paste.ts";

/** A terminal that has not marked the end of a paste by then has lost the mark. */
const PASTE_END_MS = 2_000;
/** A paste without marks continues with the next chunk up to then. No person reacts to it so fast. */
const BARE_GAP_MS = 100;
/** Characters that no person types between two reads. */
const TYPED_CHARACTERS_MAX = 200;

/**
 * Follows the input of a terminal in the chunks that are read, and marks a paste that the terminal has not marked.
 * A line end in the middle of a chunk is no Enter key, and neither is one right behind such a chunk (TUI-08).
 */
export class InputChunks {
  readonly #marks = new BracketedPaste();
  /** True in a paste that the terminal has not marked. */
  #isBare = false;

  /** Milliseconds without input that end the paste; undefined outside of one. */
  get endsAfterMs(): number | undefined {
    if (this.#isBare) return BARE_GAP_MS;
    return this.#marks.isPasting ? PASTE_END_MS : undefined;
  }

  /** Returns the chunk as the reader of keys gets it: with marks around a paste that has none. */
  read(chunk: string): string {
    const isKeys = chunk.includes("\u001b");
    if (this.#isBare) return isKeys ? `${this.endPaste()}${this.read(chunk)}` : chunk;
    const wasWaiting = this.#marks.isWaiting;
    this.#marks.read(chunk);
    if (wasWaiting || this.#marks.isWaiting || isKeys || !isPasted(chunk)) return chunk;
    this.#isBare = true;
    return `${PASTE_BEGIN}${chunk}`;
  }

  /** Ends a paste whose end is not marked. Returns the mark; empty if there is no such paste. */
  endPaste(): string {
    if (!this.#isBare && !this.#marks.isPasting) return "";
    this.#isBare = false;
    this.#marks.flush();
    return PASTE_END;
  }
}

function isPasted(chunk: string): boolean {
  return isBurst(chunk) || chunk.length > TYPED_CHARACTERS_MAX;
}
