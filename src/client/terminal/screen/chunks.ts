import { BracketedPaste, isBurst, PASTE_BEGIN, PASTE_END } from "../../../view/terminal/bracketed-paste.ts";

/** A terminal that has not marked the end of a paste by then has lost the mark. */
const PASTE_END_MS = 2_000;
/** A paste without marks continues with the next chunk up to then. No person reacts to it so fast. */
const BARE_GAP_MS = 100;
/** An Enter that came with other keys waits so long for more: it may end the first line of a paste. */
const ENTER_GAP_MS = 50;
/** Keys and the Enter behind them, read at once: a line of a paste, or typed while this process was busy. */
const LINE = /^[^\r\n]{2,200}\r$/;
/** Answers of the terminal, and its reports of the focus: they may stand in a chunk with a paste. */
const ANSWERS =
  /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|P[^\u001b]*\u001b\\|\[\?[\d;]*(?:[uc]|\$y)|\[[IO])/g;
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
  /** True while an Enter is held back. */
  #isEnterHeld = false;

  /** Milliseconds without input after which `flush` returns what was held; undefined if nothing is. */
  get endsAfterMs(): number | undefined {
    if (this.#isEnterHeld) return ENTER_GAP_MS;
    if (this.#isBare) return BARE_GAP_MS;
    return this.#marks.isPasting ? PASTE_END_MS : undefined;
  }

  /** Returns the chunk as the reader of keys gets it: with marks around a paste that has none. */
  read(chunk: string): string {
    const answers = this.#marks.isWaiting ? [] : (chunk.match(ANSWERS) ?? []);
    if (answers.length === 0) return this.#text(chunk);
    const begin = this.#isBare || this.#isEnterHeld ? this.flush() : "";
    const text = chunk.replaceAll(ANSWERS, "");
    return `${begin}${answers.join("")}${text === "" ? "" : this.#text(text)}`;
  }

  #text(chunk: string): string {
    const isKeys = chunk.includes("\u001b");
    if (this.#isEnterHeld) {
      this.#isEnterHeld = false;
      if (isKeys) return `\r${this.#text(chunk)}`;
      this.#isBare = true;
      return `${PASTE_BEGIN}\r${chunk}`;
    }
    if (this.#isBare) return isKeys ? `${this.flush()}${this.#text(chunk)}` : chunk;
    const wasWaiting = this.#marks.isWaiting;
    this.#marks.read(chunk);
    if (wasWaiting || this.#marks.isWaiting || isKeys) return chunk;
    if (LINE.test(chunk)) {
      this.#isEnterHeld = true;
      return chunk.slice(0, -1);
    }
    if (!isPasted(chunk)) return chunk;
    this.#isBare = true;
    return `${PASTE_BEGIN}${chunk}`;
  }

  /** Returns what was held: an Enter, or the mark of a paste whose end is not marked; else an empty text. */
  flush(): string {
    if (this.#isEnterHeld) {
      this.#isEnterHeld = false;
      return "\r";
    }
    if (!this.#isBare && !this.#marks.isPasting) return "";
    this.#isBare = false;
    this.#marks.flush();
    return PASTE_END;
  }
}

function isPasted(chunk: string): boolean {
  return isBurst(chunk) || chunk.length > TYPED_CHARACTERS_MAX;
}
