import { TerminalText } from "../../../view/terminal/terminal-text.ts";

/** A notice waits for so many characters of streamed text at the most, and is then put between two words. */
export const HELD_CHARACTERS_MAX = 200;
/** So many more are waited for where no word ends. */
const WORD_CHARACTERS_MAX = 100;
const HELD_NOTICES_MAX = 100;

export interface StreamedLinesOptions {
  /** Whether notices wait for the end of a line; else they come at once, as in a replay, which tells what was when. */
  readonly holds: boolean;
}

/**
 * Puts streamed text and lines of our own on one terminal: a line of ours never stands in a line of the text, and a
 * notice, which can wait, does not cut it either. Everything keeps its order, but that a notice waits until the text's
 * line ends, for `HELD_CHARACTERS_MAX` characters of it, or until `flush`.
 *
 * Each method gives what is to be printed now.
 */
export class StreamedLines {
  readonly #holds: boolean;
  readonly #text = new TerminalText();
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
    const [before, after] = this.isHolding ? this.#parted(shown) : [shown, undefined];
    this.#midLine = !before.endsWith("\n");
    if (after === undefined) return before;
    const notices = this.flush();
    if (after !== "") this.#midLine = !after.endsWith("\n");
    return `${before}${notices}${after}`;
  }

  /** A text of our own on lines of its own, now, after whatever stands unfinished or waits. */
  line(text: string): string {
    return `${this.flush()}${text}\n`;
  }

  /** A text of our own that can wait for the end of the line that is being streamed. */
  notice(text: string): string {
    const isFull = this.#held.length === HELD_NOTICES_MAX;
    if (!this.#holds || !this.#midLine || isFull) return this.line(text);
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

  /** A piece of text, parted where the notices are to stand; one part alone while they go on waiting. */
  #parted(shown: string): readonly [string, string?] {
    const lineEnd = shown.indexOf("\n");
    if (lineEnd !== -1) return [shown.slice(0, lineEnd + 1), shown.slice(lineEnd + 1)];
    this.#since += shown.length;
    if (this.#since < HELD_CHARACTERS_MAX) return [shown];
    const wordEnd = shown.lastIndexOf(" ");
    if (wordEnd !== -1) return [shown.slice(0, wordEnd), shown.slice(wordEnd + 1)];
    return this.#since < HELD_CHARACTERS_MAX + WORD_CHARACTERS_MAX ? [shown] : [shown, ""];
  }
}
