/**
 * Breaks streamed text between words, so that no line is longer than `columns` where a word is not.
 *
 * A word is returned once it is complete.
 */
export class Wrap {
  readonly #columns: number;
  #column = 0;
  #word = "";
  #space = "";

  constructor(columns: number) {
    this.#columns = columns;
  }

  push(text: string): string {
    let out = "";
    for (const character of text) {
      if (character === "\n") {
        out += `${this.#flush()}\n`;
        this.#column = 0;
        this.#space = "";
      } else if (character === " ") {
        out += this.#flush();
        this.#space += " ";
      } else {
        this.#word += character;
      }
    }
    return out;
  }

  /** Returns the rest, with a line feed if it has none. */
  end(): string {
    const rest = this.#flush();
    const end = this.#column > 0 ? "\n" : "";
    this.#column = 0;
    this.#space = "";
    return rest + end;
  }

  #flush(): string {
    if (this.#word === "") return "";
    const breaks = this.#column > 0 && this.#column + this.#space.length + this.#word.length > this.#columns;
    const out = (breaks ? "\n" : this.#space) + this.#word;
    this.#column = breaks ? this.#word.length : this.#column + out.length;
    this.#word = "";
    this.#space = "";
    return out;
  }
}

/** Returns a text with lines broken between words. */
export function wrapped(text: string, columns: number): string {
  const wrap = new Wrap(columns);
  return wrap.push(text) + wrap.end();
}
