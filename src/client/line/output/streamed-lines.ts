import { MarkdownBlocks } from "../../../view/markdown/markdown-blocks.ts";
import { TerminalText } from "../../../view/terminal/terminal-text.ts";

/** Characters of streamed text after which a waiting notice is put between two words. */
export const HELD_CHARACTERS_MAX = 200;
/** Further characters that it waits for the end of a word. */
const WORD_CHARACTERS_MAX = 100;
/** Characters of a code block after which a waiting notice is put between two lines. */
export const HELD_CODE_CHARACTERS_MAX = 4_000;
const HELD_NOTICES_MAX = 100;

export interface StreamedLinesOptions {
  /**
   * True if notices wait for the end of a line. False prints them at once, as a replay does to keep the exact order.
   */
  readonly holds: boolean;
}

/**
 * Combines streamed text and cinch's own lines on one terminal, so that a line never stands inside a line of the text.
 *
 * Everything keeps its order, except that a notice waits until the text's line ends, for at most `HELD_CHARACTERS_MAX`
 * characters, or until `flush`. In a code block it waits for the block's end, for at most `HELD_CODE_CHARACTERS_MAX`
 * characters, so that code can be copied whole.
 *
 * Each method returns the text to print now.
 */
export class StreamedLines {
  readonly #holds: boolean;
  readonly #text = new TerminalText();
  /** Markdown blocks of the streamed text. */
  #blocks = new MarkdownBlocks();
  #midLine = false;
  #held: readonly string[] = [];
  /** Characters printed since the first notice waits. */
  #since = 0;

  constructor({ holds }: StreamedLinesOptions) {
    this.#holds = holds;
  }

  /** True while a notice waits. */
  get isHolding(): boolean {
    return this.#held.length > 0;
  }

  /** Adds a piece of streamed text, which is neutralised. */
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

  /** True if the text so far ends inside a code block. */
  get isInCode(): boolean {
    return this.#blocks.isInCode;
  }

  /** Ends the streamed text: the next piece starts another one. */
  endText(): void {
    this.#blocks = new MarkdownBlocks();
  }

  /** Puts a text on separate lines, after the unfinished line and the waiting notices. */
  line(text: string): string {
    return `${this.flush()}${text}\n`;
  }

  /** Puts a text after the streamed line; holds it back until then. */
  notice(text: string): string {
    const isFull = this.#held.length === HELD_NOTICES_MAX;
    const cuts = this.#midLine || this.isInCode;
    if (!this.#holds || !cuts || isFull) return this.line(text);
    if (!this.isHolding) this.#since = 0;
    this.#held = [...this.#held, text];
    return "";
  }

  /** Ends an unfinished line and releases the waiting notices: a prompt is visible only after a whole line. */
  flush(): string {
    const unfinished = this.#text.end();
    const midLine = unfinished === "" ? this.#midLine : !unfinished.endsWith("\n");
    this.#midLine = false;
    const notices = this.#held.map((notice) => `${notice}\n`).join("");
    this.#held = [];
    return `${unfinished}${midLine ? "\n" : ""}${notices}`;
  }

  /** Feeds a piece of the text to the Markdown reader. */
  #read(text: string): string {
    this.#blocks.push(text);
    return text;
  }

  /**
   * Splits a text where the notices go; returns one part while they keep waiting. Feeds the first part to the reader.
   */
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
