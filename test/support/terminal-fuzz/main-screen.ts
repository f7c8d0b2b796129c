import type { Size } from "../../../src/client/terminal/screen/screen.ts";
import { clusterWidth } from "../../../src/view/terminal/display-width.ts";

const TOKEN =
  /\u001b\[([?0-9;]*)([A-Za-z])|\u001b\]8;;([^\u001b\u0007]*)(?:\u001b\\|\u0007)|\u001b\][^\u001b\u0007]*(?:\u001b\\|\u0007)|([\r\n])|([^\u0000-\u001f\u007f-\u009f]+)/g;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
const BLANK = " ";

interface Line {
  /** Cells up to the last one that was written; the second one of a wide character is empty. */
  readonly cells: string[];
  /** True if the terminal has put its end on the next line. */
  isWrapped: boolean;
}

/** A line by its number from the first one of the scrollback, and a column. */
interface CellLocation {
  readonly line: number;
  readonly column: number;
}

/**
 * The main screen of a terminal with its scrollback, as far as an inline client and a shell use it. A change of its
 * size does to it what tmux does: lines are wrapped again (or cut, if it does not reflow), a lower screen loses lines
 * below the cursor first, and a higher one takes lines of the scrollback back.
 */
export class MainScreen {
  #size: Size;
  readonly #reflows: boolean;
  #lines: Line[] = [emptyLine()];
  /** The first line that is on the screen. */
  #top = 0;
  #cursor: CellLocation = { line: 0, column: 0 };
  /** First line of what a client may still change. */
  #mark = 0;
  #wraps = true;
  #style = "";
  #link = "";
  isCursorShown = true;

  constructor(size: Size, reflows: boolean) {
    this.#size = size;
    this.#reflows = reflows;
  }

  get cursor(): CellLocation {
    return this.#cursor;
  }

  /** True if the marked line has left the screen: nothing can erase it any more. */
  get isMarkGone(): boolean {
    return this.#mark < this.#top;
  }

  /** Marks the line so many rows above the cursor. */
  mark(rowsAbove: number): void {
    this.#mark = this.#cursor.line - rowsAbove;
  }

  /** Cells of a row counted from the marked line, with their styles if `styled`. */
  cells(row: number, styled = false): readonly string[] {
    const { cells = [] } = this.#lines[this.#mark + row] ?? {};
    return Array.from({ length: this.#size.columns }, (_, at) => {
      const cell = cells[at] ?? BLANK;
      return styled ? cell : (cell.split("\u0000")[0] ?? "");
    });
  }

  /** Texts of the lines above the mark, those that were wrapped as one. */
  get above(): readonly string[] {
    return this.#joined(this.#lines.slice(0, Math.max(0, this.#mark)));
  }

  /** Texts of all lines, those that were wrapped as one. */
  get all(): readonly string[] {
    return this.#joined(this.#lines);
  }

  write(bytes: string): void {
    for (const [, parameters = "", final, link, end, text] of bytes.matchAll(TOKEN)) {
      if (text !== undefined) this.#print(text);
      else if (end !== undefined) this.#end(end);
      else if (link !== undefined) this.#link = link;
      else if (final !== undefined) this.#control(parameters, final);
    }
  }

  resize(size: Size): void {
    if (size.rows !== this.#size.rows) this.#resizeRows(size.rows);
    if (size.columns !== this.#size.columns) this.#resizeColumns(size.columns);
  }

  #resizeRows(rows: number): void {
    const { rows: before, columns } = this.#size;
    if (rows < before) {
      const below = before - 1 - (this.#cursor.line - this.#top);
      const dropped = Math.min(below, before - rows);
      this.#lines.splice(this.#top + before - dropped);
      this.#top += before - rows - dropped;
    } else this.#top = Math.max(0, this.#top - (rows - before));
    this.#size = { columns, rows };
  }

  #resizeColumns(columns: number): void {
    const { rows } = this.#size;
    const blank = Math.max(0, this.#top + rows - this.#lines.length);
    this.#size = { columns, rows };
    if (!this.#reflows) {
      for (const { cells } of this.#lines) cells.splice(columns);
      this.#cursor = { ...this.#cursor, column: Math.min(columns - 1, this.#cursor.column) };
      return;
    }
    this.#wrapAgain(columns);
    this.#top = Math.max(0, this.#lines.length + blank - rows);
    if (this.#cursor.line < this.#top) this.#cursor = { line: this.#top, column: 0 };
  }

  #wrapAgain(columns: number): void {
    const before = this.#lines;
    const lines: Line[] = [];
    let [cursor, mark] = [this.#cursor, this.#mark];
    for (let from = 0; from < before.length; ) {
      let to = from;
      while (before[to]?.isWrapped === true && to + 1 < before.length) to += 1;
      const parts = before.slice(from, to + 1);
      const first = lines.length;
      const wrapped = wrap(
        parts.flatMap(({ cells }) => cells),
        columns,
      );
      lines.push(...wrapped);
      if (this.#mark >= from && this.#mark <= to) mark = first;
      if (this.#cursor.line >= from && this.#cursor.line <= to) {
        const earlier = parts.slice(0, this.#cursor.line - from);
        const offset = earlier.reduce((sum, { cells }) => sum + cells.length, this.#cursor.column);
        cursor = placeOf(wrapped, { first, offset, columns });
      }
      from = to + 1;
    }
    if (this.#mark >= before.length) mark = lines.length + this.#mark - before.length;
    if (this.#cursor.line >= before.length)
      cursor = { line: lines.length + this.#cursor.line - before.length, column: this.#cursor.column };
    [this.#lines, this.#cursor, this.#mark] = [lines, cursor, mark];
  }

  #control(parameters: string, final: string): void {
    const count = Math.max(1, Number(parameters.split(";")[0] ?? 1) || 1);
    const { line, column } = this.#cursor;
    const last = Math.max(this.#top, this.#top + this.#size.rows - 1);
    switch (final) {
      case "m":
        this.#style = parameters === "0" || parameters === "" ? "" : `${this.#style}[${parameters}]`;
        return;
      case "A":
        this.#cursor = { line: Math.max(this.#top, line - count), column };
        return;
      case "B":
        this.#cursor = { line: Math.min(last, line + count), column };
        return;
      case "C":
        this.#cursor = { line, column: Math.min(this.#size.columns - 1, column + count) };
        return;
      case "G":
        this.#cursor = { line, column: Math.min(this.#size.columns, count) - 1 };
        return;
      case "K":
        this.#line.cells.splice(Math.min(column, this.#size.columns - 1));
        return;
      case "J":
        this.#line.cells.splice(Math.min(column, this.#size.columns - 1));
        this.#line.isWrapped = false;
        if (column === 0 && line > 0) (this.#lines[line - 1] as Line).isWrapped = false;
        this.#lines.splice(line + 1);
        return;
      case "h":
      case "l":
        if (parameters === "?25") this.isCursorShown = final === "h";
        if (parameters === "?7") this.#wraps = final === "h";
        return;
      default:
    }
  }

  #end(character: string): void {
    if (character === "\r") this.#cursor = { ...this.#cursor, column: 0 };
    else this.#down(this.#cursor.column);
  }

  #down(column: number): void {
    const { line } = this.#cursor;
    if (line === this.#top + this.#size.rows - 1) this.#top += 1;
    this.#cursor = { line: line + 1, column };
    void this.#line;
  }

  get #line(): Line {
    while (this.#lines.length <= this.#cursor.line) this.#lines.push(emptyLine());
    return this.#lines[this.#cursor.line] as Line;
  }

  #print(text: string): void {
    for (const { segment } of graphemes.segment(text)) this.#put(segment, clusterWidth(segment));
  }

  #put(text: string, width: number): void {
    const { columns } = this.#size;
    if (width === 0) {
      this.#join(text);
      return;
    }
    if (this.#cursor.column + width > columns && this.#wraps) {
      this.#line.isWrapped = true;
      this.#down(0);
    }
    const { cells } = this.#line;
    const column = Math.max(0, Math.min(this.#cursor.column, columns - width));
    while (cells.length < column) cells.push(BLANK);
    const style = `${this.#style}${this.#link}`;
    cells[column] = style === "" ? text : `${text}\u0000${style}`;
    for (let at = column + 1; at < Math.min(column + width, columns); at += 1) cells[at] = "";
    this.#cursor = { line: this.#cursor.line, column: Math.min(columns, column + width) };
  }

  #join(mark: string): void {
    const { cells } = this.#line;
    const { column } = this.#cursor;
    const at = cells[column - 1] === "" ? column - 2 : column - 1;
    const [text, style] = cells[at]?.split("\u0000") ?? [];
    if (text !== undefined) cells[at] = style === undefined ? text + mark : `${text}${mark}\u0000${style}`;
  }

  #joined(lines: readonly Line[]): readonly string[] {
    const texts: string[] = [];
    let isOpen = false;
    for (const { cells, isWrapped } of lines) {
      const text = cells.map((cell) => cell.split("\u0000")[0] ?? "").join("");
      texts.push(isOpen ? `${texts.pop() ?? ""}${text}` : text);
      isOpen = isWrapped;
    }
    return texts.map((text) => text.trimEnd());
  }
}

function emptyLine(): Line {
  return { cells: [], isWrapped: false };
}

/** Returns cells as lines of a width. A wide character is not cut. */
function wrap(cells: readonly string[], columns: number): Line[] {
  const lines: Line[] = [emptyLine()];
  for (let at = 0; at < cells.length; ) {
    let end = at + 1;
    while (cells[end] === "") end += 1;
    let line = lines.at(-1) as Line;
    if (line.cells.length > 0 && line.cells.length + end - at > columns) {
      line.isWrapped = true;
      line = emptyLine();
      lines.push(line);
    }
    line.cells.push(...cells.slice(at, end));
    at = end;
  }
  return lines;
}

/** Returns the place of a cell among the lines of one text. A place behind the text is on its last line. */
function placeOf(
  lines: readonly Line[],
  { first, offset, columns }: { readonly first: number; readonly offset: number; readonly columns: number },
): CellLocation {
  let left = offset;
  for (const [at, { cells }] of lines.entries()) {
    if (left < cells.length || at === lines.length - 1)
      return { line: first + at, column: Math.min(columns, left) };
    left -= cells.length;
  }
  return { line: first, column: 0 };
}
