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
/**
 * The beginning of an answer about colours, modes or the device, of a report of the mouse, or of the mark of a paste,
 * at the end of a chunk. No key is as short. Its rest would be typed into the draft if it were taken for keys
 * meanwhile.
 */
const CUT_ANSWER = /\u001b(?:\]\d{1,2}(?:;[rgba:/\da-f]{0,30})?\u001b?|\[[?<][\d;]{0,20}\$?|\[20{0,2})$/i;
/** The first characters that the rest of such an answer can have, by the beginning. */
const RESTS: readonly (readonly [beginning: string, rest: RegExp])[] = [
  ["\u001b[<", /^[\d;Mm]/],
  ["\u001b[?", /^[\d;$cnuy]/],
  ["\u001b]", /^[rgba:/\da-f;\u0007\u001b\\]/i],
  ["\u001b[2", /^[\d;:~]/], // keys begin like the mark, too
];
/** Keys that may also begin the mark of a paste: they are not held back. */
const MARK_BEGUN = /\u001b\[?$/;
/** The rest of the mark at the beginning of a paste, whose own beginning was lost. */
const MARK_REST = /^(?:\[?2)?0{0,2}~/;
/** A terminal that has not sent the rest of an answer by then has lost it. */
const CUT_ANSWER_MS = 1_000;
/** Characters that no person types between two reads. */
const TYPED_CHARACTERS_MAX = 200;

/**
 * Follows the input of a terminal in the chunks that are read, and marks a paste that the terminal has not marked.
 * A line end in the middle of a chunk is no Enter key, and neither is one right behind such a chunk (TUI-08).
 */
export class InputChunks {
  readonly #marks = new BracketedPaste();
  /** The end of the last chunk, if it may begin the mark of a paste. */
  #markBegun = "";
  /** True in a paste that the terminal has not marked. */
  #isBare = false;
  /** True while an Enter is held back. */
  #isEnterHeld = false;
  /** An answer of the terminal up to where its chunk was cut. */
  #cutAnswer = "";

  /** Milliseconds without input after which `flush` returns what was held; undefined if nothing is. */
  get endsAfterMs(): number | undefined {
    if (this.#isEnterHeld) return ENTER_GAP_MS;
    if (this.#isBare) return BARE_GAP_MS;
    if (this.#marks.isPasting) return PASTE_END_MS;
    return this.#cutAnswer === "" ? undefined : CUT_ANSWER_MS;
  }

  /** Returns the chunk as the reader of keys gets it: with marks around a paste that has none. */
  read(chunk: string): string {
    const cut = this.#cutAnswer;
    // Anything else is no rest of it: keys come through, and the terminal has lost the rest.
    const isRest = RESTS.some(([beginning, rest]) => cut.startsWith(beginning) && rest.test(chunk));
    const all = isRest ? cut + chunk : chunk;
    this.#cutAnswer = this.#marks.isPasting ? "" : (CUT_ANSWER.exec(all)?.[0] ?? "");
    const whole = all.slice(0, all.length - this.#cutAnswer.length);
    return whole === "" ? "" : this.#whole(whole);
  }

  #whole(chunk: string): string {
    const answers = this.#marks.isPasting ? [] : (chunk.match(ANSWERS) ?? []);
    if (answers.length === 0) return this.#text(chunk);
    const before = this.#isBare || this.#isEnterHeld ? this.flush() : "";
    const text = chunk.replaceAll(ANSWERS, "");
    return `${before}${answers.join("")}${text === "" ? "" : this.#text(text)}`;
  }

  #text(chunk: string): string {
    const begun = this.#markBegun + chunk;
    // The library drops what it still holds of the mark, and takes the whole one.
    if (this.#markBegun !== "" && begun.startsWith(PASTE_BEGIN)) {
      this.#markBegun = "";
      return this.#text(begun);
    }
    const shown = this.#marked(chunk);
    this.#markBegun = this.#marks.isPasting ? "" : (MARK_BEGUN.exec(chunk)?.[0] ?? "");
    return shown;
  }

  #marked(chunk: string): string {
    const isKeys = chunk.includes("\u001b");
    if (this.#isEnterHeld) {
      this.#isEnterHeld = false;
      if (isKeys) return `\r${this.#marked(chunk)}`;
      this.#isBare = true;
      return `${PASTE_BEGIN}\r${chunk}`;
    }
    if (this.#isBare) return isKeys ? `${this.flush()}${this.#marked(chunk)}` : chunk;
    const wasPasting = this.#marks.isPasting;
    if (!wasPasting) {
      if (hasLostMark(chunk)) return this.#marked(`${PASTE_BEGIN}${chunk.replace(MARK_REST, "")}`);
      this.#marks.flush(); // an Escape key before it was one
    }
    this.#marks.read(chunk);
    if (wasPasting || isKeys) return chunk;
    if (LINE.test(chunk)) {
      this.#isEnterHeld = true;
      return chunk.slice(0, -1);
    }
    if (!isPasted(chunk)) return chunk;
    this.#isBare = true;
    return `${PASTE_BEGIN}${chunk}`;
  }

  /**
   * Returns what was held: an Enter, or the mark of a paste whose end is not marked; else an empty text. The beginning
   * of an answer is dropped.
   */
  flush(): string {
    this.#cutAnswer = "";
    if (this.#isEnterHeld) {
      this.#isEnterHeld = false;
      return "\r";
    }
    const isPaste = this.#isBare || this.#marks.isPasting;
    this.#isBare = false;
    this.#marks.flush();
    return isPaste ? PASTE_END : "";
  }
}

/** Returns true for the end of a paste whose beginning is not marked: no Enter in it may send. */
function hasLostMark(chunk: string): boolean {
  const end = chunk.indexOf(PASTE_END);
  const begin = chunk.indexOf(PASTE_BEGIN);
  return end > 0 && (begin < 0 || begin > end);
}

function isPasted(chunk: string): boolean {
  return isBurst(chunk) || chunk.length > TYPED_CHARACTERS_MAX;
}
