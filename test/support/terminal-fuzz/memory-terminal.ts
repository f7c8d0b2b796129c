import type { Size } from "../../../src/client/terminal/screen/screen.ts";
import { SmallScreen } from "../small-screen.ts";
import { MainScreen } from "./main-screen.ts";

/** One piece of what a client writes: a control sequence, a string of the terminal, text, or another character. */
const PIECE =
  /\u001b\[([<>=?]?)([0-9;:]*)([ -/]*)([@-~])|\u001b\]([^\u0000-\u001f\u007f-\u009f]*)(?:\u0007|\u001b\\)|([^\u0000-\u001f\u007f-\u009f]+)|([\s\S])/gu;
/**
 * Characters that reorder a line, or break it, without being control characters. The client itself isolates words that
 * are read from the right to the left (U+2067, U+2069).
 */
const REORDERING = /[\u061c\u200e\u200f\u2028-\u202e\u2066\u2068\ufffe\uffff]/u;
/** Sequences that draw: the screen carries them out. */
const DRAWN = "mHGJKrML";
/** Sequences that draw for a client on the main screen: none goes to an absolute place or erases all. */
const DRAWN_INLINE = /^\u001b\[(?:[\d;:]*m|\d*[ABCG]|[JK])$/;
const MODES: ReadonlySet<string> = new Set(
  "7 25 1000 1002 1003 1004 1006 1047 1049 2004 2026 2031".split(" "),
);
const MODES_BEFORE = ["25", "7"];
const OSC_KNOWN = /^(?:0|2|9|52|99|133|777);/;

/** The answers that a terminal has to the queries of a client; absent ones never come. */
export interface TerminalAnswers {
  readonly kitty: boolean;
  readonly attributes: boolean;
  readonly focus: boolean;
  readonly background: boolean;
}

export interface MemoryTerminalOptions {
  readonly size: Size;
  readonly answers: TerminalAnswers;
  /** Present for a client that lives on the main screen: true if this terminal wraps its rows again. */
  readonly reflows?: boolean;
}

/** A terminal in memory: it interprets what a client writes, and notes everything that no frame may have. */
export class MemoryTerminal {
  size: Size;
  readonly #answers: TerminalAnswers;
  readonly #modes = new Set(MODES_BEFORE);
  /** Depth of the extended keys on the main and on the alternate screen: a terminal keeps one for each. */
  readonly #keys = { main: 0, alternate: 0 };
  #hasOtherKeys = false;
  #titles = 0;
  #screen: SmallScreen;
  readonly #isInline: boolean;
  /** The main screen with its scrollback. */
  readonly main: MainScreen;
  /** Writes so far. */
  writes = 0;
  /** Answers that are ready and were not read yet. */
  readonly ready: string[] = [];
  /** Sentences about what no client may write, since `forget`. */
  readonly faults: string[] = [];

  constructor({ size, answers, reflows }: MemoryTerminalOptions) {
    this.size = size;
    this.#answers = answers;
    this.#isInline = reflows !== undefined;
    this.main = new MainScreen(size, reflows ?? true);
    this.#screen = new SmallScreen(size.columns, size.rows);
  }

  /** The alternate screen. */
  get screen(): SmallScreen {
    return this.#screen;
  }

  get isAlternate(): boolean {
    return this.#modes.has("1049");
  }

  /** Every mode that is not that of a new terminal. */
  get modesLeft(): readonly string[] {
    const missing = MODES_BEFORE.filter((each) => !this.#modes.has(each)).map((each) => `?${each} is off`);
    const left = [...this.#modes].filter((each) => !MODES_BEFORE.includes(each)).map((each) => `?${each}`);
    const keys = Object.entries(this.#keys).filter(([, depth]) => depth > 0);
    return [
      ...missing,
      ...left,
      ...keys.map(([screen]) => `extended keys of the ${screen} screen`),
      ...(this.#hasOtherKeys ? ["modifyOtherKeys"] : []),
      ...(this.#titles > 0 ? ["a kept title"] : []),
    ];
  }

  /** Changes the size. A terminal may lose its text by that: this one loses all. */
  resize(size: Size): void {
    this.size = size;
    this.#screen = new SmallScreen(size.columns, size.rows);
    this.main.resize(size);
  }

  write(bytes: string): void {
    this.writes += 1;
    if (!bytes.isWellFormed()) this.#fault("half of a character is written");
    for (const [piece, prefix, parameters = "", between, final, osc, text] of bytes.matchAll(PIECE)) {
      if (final !== undefined)
        this.#control(piece, { prefix: prefix ?? "", parameters, between: between ?? "", final });
      else if (osc !== undefined) this.#string(piece, osc);
      else if (text !== undefined) this.#text(text);
      else this.#single(piece);
    }
  }

  #control(
    piece: string,
    {
      prefix,
      parameters,
      between,
      final,
    }: { readonly [Name in "prefix" | "parameters" | "between" | "final"]: string },
  ): void {
    const name = `${prefix}${between}${final}`;
    if (name === "?h" || name === "?l") this.#setModes(parameters, final === "h");
    else if (name === "?$p") this.#answer("focus", `\u001b[?${parameters};1$y`);
    else if (name === ">u") this.#keys[this.#which] += 1;
    else if (name === "<u") this.#keys[this.#which] = Math.max(0, this.#keys[this.#which] - 1);
    else if (name === "?u") this.#answer("kitty", "\u001b[?7u");
    else if (name === "c") this.#answer("attributes", "\u001b[?62;22c");
    else if (name === ">m" && /^4(?:;[02])?$/.test(parameters)) this.#hasOtherKeys = parameters === "4;2";
    else if (name === "t" && parameters === "22;0") this.#titles += 1;
    else if (name === "t" && parameters === "23;0") this.#titles = Math.max(0, this.#titles - 1);
    else if (prefix === "" && between === "" && this.#mayDraw(piece, final)) this.#draw(piece);
    else this.#fault(`the sequence ${JSON.stringify(piece)} is written`);
  }

  #mayDraw(piece: string, final: string): boolean {
    return this.#isInline && !this.isAlternate ? DRAWN_INLINE.test(piece) : DRAWN.includes(final);
  }

  #string(piece: string, body: string): void {
    if (body.startsWith("8;")) this.#draw(piece.replace(/\u0007$/, "\u001b\\"));
    else if (body === "11;?") this.#answer("background", "\u001b]11;rgb:1e1e/1e1e/2e2e\u001b\\");
    else if (!OSC_KNOWN.test(body)) this.#fault(`the string ${JSON.stringify(piece)} is written`);
  }

  #text(text: string): void {
    if (REORDERING.test(text)) this.#fault(`${JSON.stringify(text)} can reorder its row`);
    this.#draw(text);
  }

  /** A bell is heard; the main screen has lines, and texts that were not sent. No client writes anything else. */
  #single(character: string): void {
    if (character === "\u0007") return;
    if (/[\r\n\t]/.test(character) && !this.isAlternate) {
      this.#draw(character);
      return;
    }
    this.#fault(`the control character ${JSON.stringify(character)} is written`);
  }

  #draw(piece: string): void {
    if (this.isAlternate) this.#screen.write(piece);
    else this.main.write(piece);
  }

  #setModes(parameters: string, isOn: boolean): void {
    for (const mode of parameters.split(";")) {
      if (!MODES.has(mode)) this.#fault(`the mode ?${mode} is set`);
      if (isOn) this.#modes.add(mode);
      else this.#modes.delete(mode);
      if (mode === "1047" && !isOn) this.#modes.delete("1049"); // another way out of the same screen
      if (mode === "1049" && isOn) this.#screen = new SmallScreen(this.size.columns, this.size.rows);
      if (mode === "25" || mode === "7") this.#draw(`\u001b[?${mode}${isOn ? "h" : "l"}`);
    }
  }

  #answer(query: keyof TerminalAnswers, answer: string): void {
    if (this.#answers[query]) this.ready.push(answer);
  }

  #fault(sentence: string): void {
    this.faults.push(sentence);
  }

  get #which(): "main" | "alternate" {
    return this.isAlternate ? "alternate" : "main";
  }
}
