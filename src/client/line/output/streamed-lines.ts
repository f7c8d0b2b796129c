import { MarkdownBlocks } from "../../../view/markdown/markdown-blocks.ts";
import { TerminalText } from "../../../view/terminal/terminal-text.ts";

/** A notice waits for so many characters of streamed text at the most, and is then put between two words. */
export const HELD_CHARACTERS_MAX = 200;
/** So many more are waited for where no word ends. */
const WORD_CHARACTERS_MAX = 100;
/** In a block of code a notice waits for so many characters, and is then put between two lines. */
export const HELD_CODE_CHARACTERS_MAX = 4_000;
const HELD_NOTICES_MAX = 100;

export interface StreamedLinesOptions {
  /** Whether notices wait for the end of a line; else they come at once, as in a replay, which tells what was when. */
  readonly holds: boolean;
}

/**
 * Puts streamed text and lines of our own on one terminal: a line of ours never stands in a line of the text, and a
 * notice, which can wait, does not cut it either. Everything keeps its order, but that a notice waits until the text's
 * line ends, for `HELD_CHARACTERS_MAX` characters of it, or until `flush`. In a block of code it waits for the block's end,
 * for `HELD_CODE_CHARACTERS_MAX` characters at most: code can then be copied whole.
 *
 * Each method gives what is to be printed now.
 */
export class StreamedLines {
  readonly #holds: boolean;
  readonly #text = new TerminalText();
  /** The blocks of the text that is streamed. */
  #blocks = new MarkdownBlocks();
  #midLine = false;
  #held: readonly string[] = [];
  /** Characters that were printed since a notice waits. */
  #since = 0;

  constructor({ holds }: StreamedLinesOptions) {
    this.#holds = holds;
  }

  /** Whether a notice waits. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** A piece of streamed text, made safe. */
  push(chunk: string): string {
    const shown = this.#text.push(chunk);
    if (shown === "") return "";
    const [before, after] = this.isHolding ? this.#parted(shown) : [this.#read(shown)];
    this.#midLine = !before.endsWith("\n");
    if (after === undefined) return before;
    const notices = this.flush();
    this.#read(after);
    if (after !== "") this.#midLine = !after.endsWith("\n");
    return `${before}${notices}${after}`;
  }

  /** The text so far ends inside a block of code. */
  get isInCode(): boolean {
    return this.#blocks.isInCode;
  }

  /** Ends the text that is streamed: what comes next is another one. */
  endText(): void {
    this.#blocks = new MarkdownBlocks();
  }

  /** A text of our own on lines of its own, now, after whatever stands unfinished or waits. */
  line(text: string): string {
    return `${this.flush()}${text}\n`;
  }

  /** A text of our own that can wait for the end of the line that is being streamed. */
  notice(text: string): string {
    const isFull = this.#held.length === HELD_NOTICES_MAX;
    const cuts = this.#midLine || this.isInCode;
    if (!this.#holds || !cuts || isFull) return this.line(text);
    if (!this.isHolding) this.#since = 0;
    this.#held = [...this.#held, text];
    return "";
  }

  /** Ends the line that stands unfinished, where one does, and prints what waits: a prompt can be seen only after a whole line. */
  flush(): string {
    const unfinished = this.#text.end();
    const midLine = unfinished === "" ? this.#midLine : !unfinished.endsWith("\n");
    this.#midLine = false;
    const notices = this.#held.map((notice) => `${notice}\n`).join("");
    this.#held = [];
    return `${unfinished}${midLine ? "\n" : ""}${notices}`;
  }

  /** Reads a piece of the text as Markdown. */
  #read(text: string): string {
    this.#blocks.push(text);
    return text;
  }

  /** Parts a piece of text where the notices are to stand; one part alone while they go on waiting. Reads the first part. */
  #parted(shown: string): readonly [string, string?] {
    let at = 0;
    for (let end = shown.indexOf("\n"); end !== -1; end = shown.indexOf("\n", at)) {
      this.#read(shown.slice(at, end + 1));
      at = end + 1;
      if (!this.isInCode || this.#since + at >= HELD_CODE_CHARACTERS_MAX)
        return [shown.slice(0, at), shown.slice(at)];
    }
    const rest = shown.slice(at);
    this.#since += shown.length;
    const wordEnd = this.isInCode ? -1 : rest.lastIndexOf(" ");
    const waitsFor = this.isInCode ? HELD_CODE_CHARACTERS_MAX : HELD_CHARACTERS_MAX;
    if (this.#since >= waitsFor && wordEnd !== -1) {
      this.#read(rest.slice(0, wordEnd));
      return [shown.slice(0, at + wordEnd), shown.slice(at + wordEnd + 1)];
    }
    this.#read(rest);
    return this.#since < waitsFor + WORD_CHARACTERS_MAX ? [shown] : [shown, ""];
  }
}
