export interface GrepLinesOptions {
  readonly mode: "files" | "content" | "count";
  /** Maximum number of files or matching lines. */
  readonly limit: number;
  readonly charactersMax: number;
  /** True to mark gaps between lines that are not consecutive. */
  readonly gaps: boolean;
  fits(printed: string): boolean;
  shown(printed: string): string;
}

const BINARY =
  /^(.*): (?:WARNING: stopped searching binary file after match|binary file matches) \(found .*\)$/s;
const NUMBERED = /^(\d+)([:-])/;

/**
 * Builds the answer of a search from ripgrep's records, up to its limits.
 *
 * `files`: one path a record. `count`: path, NUL, number. `content`: path, NUL, number, `:` for a match or `-` for a
 * context line, the line; the answer groups the lines under their path. A name may contain line feeds: then its
 * record comes in pieces, of which only the last has the NUL.
 */
export class GrepLines {
  readonly #options: GrepLinesOptions;
  readonly #lines: string[] = [];
  #characters = 0;
  #results = 0;
  #pieces = "";
  #file: string | undefined;
  #number = 0;

  constructor(options: GrepLinesOptions) {
    this.#options = options;
  }

  get results(): number {
    return this.#results;
  }

  get text(): string {
    return this.#lines.join("\n");
  }

  /** Adds a record. Returns false when nothing more fits. */
  take(record: string): boolean {
    if (this.#options.mode === "files") return this.#takeName(record, "");
    const whole = this.#pieces === "" ? record : `${this.#pieces}\n${record}`;
    const end = whole.indexOf("\0");
    this.#pieces = "";
    if (end >= 0) return this.#takeLine(whole.slice(0, end), whole.slice(end + 1));
    const binary = BINARY.exec(whole)?.[1];
    if (binary !== undefined) return this.#takeName(binary, ": binary file matches");
    this.#pieces = whole;
    return true;
  }

  #takeLine(printed: string, rest: string): boolean {
    if (this.#options.mode === "count") return this.#takeName(printed, `:${rest}`);
    if (!this.#options.fits(printed)) return true;
    const [prefix = "", number = "", kind] = NUMBERED.exec(rest) ?? [];
    if (kind === ":" && !this.#room()) return false;
    if (kind === ":") this.#results += 1;
    if (printed !== this.#file) this.#add(this.#options.shown(printed));
    else if (this.#options.gaps && Number(number) > this.#number + 1) this.#add("--");
    this.#file = printed;
    this.#number = Number(number);
    this.#add(`${prefix}${rest.slice(prefix.length).replace(/\r$/, "")}`);
    return true;
  }

  #takeName(printed: string, suffix: string): boolean {
    if (!this.#options.fits(printed)) return true;
    if (!this.#room()) return false;
    this.#results += 1;
    this.#add(this.#options.shown(printed) + suffix);
    return true;
  }

  #room(): boolean {
    return this.#results < this.#options.limit && this.#characters < this.#options.charactersMax;
  }

  #add(line: string): void {
    this.#lines.push(line);
    this.#characters += line.length + 1;
  }
}
