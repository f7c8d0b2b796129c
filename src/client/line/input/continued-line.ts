/** Joins lines that end in an unescaped backslash, and the line after them, into one text. */
export class ContinuedLine {
  #unfinished = "";

  /** True while the last line continues. */
  get open(): boolean {
    return this.#unfinished !== "";
  }

  /** Adds a line; returns the whole text, or undefined while it continues. */
  add(line: string): string | undefined {
    const goesOn = /(?:^|[^\\])(?:\\\\)*\\$/.test(line);
    if (goesOn) {
      this.#unfinished += `${line.slice(0, -1)}\n`;
      return undefined;
    }
    const whole = this.#unfinished + line;
    this.#unfinished = "";
    return whole;
  }
}
