import { clusterWidth } from "../../src/view/terminal/display-width.ts";

const TOKEN = /\u001b\[([?0-9;]*)([A-Za-z])|\u001b\]8;;([^\u001b]*)\u001b\\|([^\u001b]+)/g;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Returns what a terminal draws for a cluster: its parts, each with the columns that it takes there. */
export type Measure = (cluster: string) => readonly (readonly [part: string, columns: number])[];

const AS_COUNTED: Measure = (cluster) => [[cluster, clusterWidth(cluster)]];

/**
 * A terminal with as much of one as frames need, which notes the cells that lose their text. It does not wrap at its
 * last column.
 */
export class SmallScreen {
  #cells: string[][];
  readonly #columns: number;
  readonly #measure: Measure;
  #style = "";
  #link = "";
  #row = 0;
  #column = 0;
  #bottom: number;
  isCursorShown = false;
  /** Rows that a sequence has cleared in part or moved since `forget`. */
  readonly cleared = new Set<number>();
  /** The first character or place beyond the screen, as a sentence; undefined if there was none. */
  beyond: string | undefined;

  /** @param measure its own view of the columns of characters. Default: that of the client. */
  constructor(columns: number, rows: number, measure: Measure = AS_COUNTED) {
    this.#measure = measure;
    this.#columns = columns;
    this.#cells = Array.from({ length: rows }, () => blank(columns));
    this.#bottom = rows - 1;
  }

  /** Text of each row, with the style of each cell if `styled`. */
  rows(styled = false): readonly string[] {
    return this.#cells.map((row) =>
      row
        .map((cell) => (styled ? cell : (cell.split("\u0000")[0] ?? "")))
        .join("")
        .trimEnd(),
    );
  }

  /** Text of each cell of a row; the second one of a wide character is empty. */
  cells(row: number): readonly string[] {
    return (this.#cells[row] ?? []).map((cell) => cell.split("\u0000")[0] ?? "");
  }

  get cursor(): readonly [row: number, column: number] {
    return [this.#row, this.#column];
  }

  write(bytes: string): void {
    for (const [, parameters = "", final, link, text] of bytes.matchAll(TOKEN)) {
      if (text !== undefined) this.#print(text);
      else if (link !== undefined) this.#link = link;
      else this.#control(parameters, final ?? "");
    }
  }

  #control(parameters: string, final: string): void {
    const [first = 0, second = 0] = parameters.split(";").map(Number);
    const row = this.#cells[this.#row] ?? [];
    switch (final) {
      case "m":
        this.#style = first === 0 && !parameters.includes(";") ? "" : `${this.#style}[${parameters}]`;
        return;
      case "H":
        [this.#row, this.#column] = [Math.max(1, first) - 1, Math.max(1, second) - 1];
        if (this.#row >= this.#cells.length || this.#column >= this.#columns)
          this.beyond ??= `the cursor goes to row ${this.#row}, column ${this.#column}`;
        return;
      case "J":
        this.#cells = this.#cells.map(() => blank(this.#columns));
        return;
      case "G":
        this.#column = Math.max(1, first) - 1;
        return;
      case "K":
        for (let at = this.#column; at < this.#columns; at += 1) {
          if (row[at] !== " ") this.cleared.add(this.#row);
          row[at] = " ";
        }
        return;
      case "r":
        this.#bottom = second === 0 ? this.#cells.length - 1 : second - 1;
        [this.#row, this.#column] = [0, 0];
        return;
      case "M":
      case "L": {
        const region = this.#cells.slice(this.#row, this.#bottom + 1);
        const empty = Array.from({ length: first }, () => blank(this.#columns));
        const next =
          final === "M" ? [...region.slice(first), ...empty] : [...empty, ...region.slice(0, -first)];
        this.#cells.splice(this.#row, region.length, ...next);
        return;
      }
      case "h":
      case "l":
        if (parameters === "?25") this.isCursorShown = final === "h";
        return;
      default:
        throw new Error(`a frame has the sequence ${parameters}${final}`);
    }
  }

  #print(text: string): void {
    for (const { segment } of graphemes.segment(text))
      for (const [part, width] of this.#measure(segment)) this.#draw(part, width);
  }

  #draw(part: string, width: number): void {
    const row = this.#cells[this.#row] ?? [];
    if (width === 0) {
      this.#join(row, part);
      return;
    }
    if (this.#column + width > this.#columns)
      this.beyond ??= `${JSON.stringify(part)} stands behind the last column of row ${this.#row}`;
    const column = Math.min(this.#column, this.#columns - 1);
    row[column] = this.#styled(part);
    for (let at = column + 1; at < Math.min(column + width, this.#columns); at += 1) row[at] = "";
    this.#column = column + width;
  }

  /** Joins a character without a width to the one before it; at the beginning of a row there is none. */
  #join(row: string[], mark: string): void {
    const at = row[this.#column - 1] === "" ? this.#column - 2 : this.#column - 1;
    const [text, style] = row[at]?.split("\u0000") ?? [];
    if (text !== undefined) row[at] = style === undefined ? text + mark : `${text}${mark}\u0000${style}`;
  }

  #styled(text: string): string {
    const style = `${this.#style}${this.#link}`;
    return style === "" ? text : `${text}\u0000${style}`;
  }
}

function blank(columns: number): string[] {
  return Array.from({ length: columns }, () => " ");
}

/** Returns the frames of a record: the synchronized updates of a terminal's bytes. */
export function framesOf(record: string): readonly string[] {
  return [...record.matchAll(/\u001b\[\?2026h([\s\S]*?)\u001b\[\?2026l/g)].map(([, frame = ""]) => frame);
}

/** Returns the rows that the frames of a record have left on a screen of a fixed size. */
export function shownRows(record: string, columns: number, rows: number): readonly string[] {
  const screen = new SmallScreen(columns, rows);
  for (const frame of framesOf(record)) screen.write(frame);
  return screen.rows();
}
