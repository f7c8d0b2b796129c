import { count } from "../../../base/text/text.ts";

/** A longer text is shown by a name. */
const SHOWN_CHARACTERS_MAX = 2_000;
/** Older texts are forgotten: their names in a line of the history stay names. */
const TEXTS_MAX = 100;
const NAME = /\[pasted text \d+, \d+ \w+\]/g;

/**
 * Pasted texts in a line that is edited. One line is shown as it is. Several lines are shown by a name, such as
 * `[pasted text 1, 3 lines]`, until the line is entered.
 */
export class PastedTexts {
  readonly #texts = new Map<string, string>();
  #pasted = 0;

  /** Returns the form of a pasted text in the line; `before` is the text before it. */
  shown(pasted: string, before: string): string {
    const whole = printable(pasted.replaceAll(/\r\n?/g, "\n"));
    const text = whole.replace(/\n+$/, "");
    if (text.includes("\n")) return this.#name(text, count(text.split("\n").length, "line"));
    if (text.length > SHOWN_CHARACTERS_MAX) return this.#name(text, count(text.length, "character"));
    const line = text.replaceAll("\t", "  ");
    // The person who pastes a whole line has not entered a command.
    return whole.endsWith("\n") && before === "" ? withoutCommand(line) : line;
  }

  /** Returns an entered line with the texts instead of their names. A line that begins with one is no command. */
  entered(line: string): string {
    return line.replaceAll(NAME, (name, at: number) => {
      const text = this.#texts.get(name);
      if (text === undefined) return name;
      return at === 0 ? withoutCommand(text) : text;
    });
  }

  #name(text: string, size: string): string {
    this.#pasted += 1;
    const name = `[pasted text ${this.#pasted}, ${size}]`;
    this.#texts.set(name, text);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > TEXTS_MAX && oldest !== undefined) this.#texts.delete(oldest);
    return name;
  }
}

/** Returns the text with a second slash before a command, which makes it text. */
function withoutCommand(text: string): string {
  return text.startsWith("/") ? `/${text}` : text;
}

/** Leaves out control characters, which no key types into a line; a tab and a line end stay. */
function printable(text: string): string {
  return [...text].filter((char) => char === "\n" || char === "\t" || !/\p{Cc}/u.test(char)).join("");
}
