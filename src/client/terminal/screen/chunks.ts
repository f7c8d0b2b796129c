import { BracketedPaste, isBurst, PASTE_BEGIN, PASTE_END } from "../../../view/terminal/bracketed-paste.ts";

/**
 * Follows the input of a terminal in the chunks that are read, and marks a paste that the terminal has not marked.
 * A line end in the middle of a chunk is no Enter key (TUI-08).
 */
export class InputChunks {
  readonly #marks = new BracketedPaste();

  /** True between the two marks of a paste. The second one may be lost. */
  get isPasting(): boolean {
    return this.#marks.isPasting;
  }

  /** Returns the chunk, or the same text marked as a paste. */
  read(chunk: string): string {
    const wasWaiting = this.#marks.isWaiting;
    this.#marks.read(chunk);
    if (wasWaiting || this.#marks.isWaiting || chunk.includes("\u001b") || !isBurst(chunk)) return chunk;
    return `${PASTE_BEGIN}${chunk}${PASTE_END}`;
  }

  /** Ends a paste whose end mark never came. Returns the mark; empty if there is no such paste. */
  endPaste(): string {
    if (!this.isPasting) return "";
    this.#marks.flush();
    return PASTE_END;
  }
}
