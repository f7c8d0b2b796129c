/** Lines of which each ends in a backslash that stands for itself, and the one after them, as one text. */
export class ContinuedLine {
  #unfinished = "";

  /** Whether a line was begun that goes on. */
  get open(): boolean {
    return this.#unfinished !== "";
  }

  /** Gives the whole text with this line; undefined while it goes on. */
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
