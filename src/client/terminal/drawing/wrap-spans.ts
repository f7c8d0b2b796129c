import { displayWidth, fittingHead } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Span } from "./span.ts";
import { likeSpan } from "./span.ts";

export interface WrapSpansOptions {
  readonly columns: number;
  /** Decoration before the first row, and before the rows that continue it. Default: none. */
  readonly first?: readonly Span[];
  readonly rest?: readonly Span[];
  /** False: rows are cut at the edge wherever a word is, as code is. Default: true. */
  readonly byWords?: boolean;
}

/** Parts of a text at which a row may end: a run of blanks, or a word. */
const PARTS = /\s+|[^\s]+/g;
/** Characters that are measured at once, for each column of a row: few take less than a column. */
const UNITS_PER_COLUMN = 8;
/** Makes a picture, which is one column wider, of the character before it: that may be in another span. */
const WIDENING = /^[\p{Mark}\u200d]*\ufe0f/u;

/**
 * Returns the rows of one line of spans, each at most `columns` wide. A word is not split where its style changes; one
 * that is wider than a row is cut. The blanks at which a row ends are left out, and stand in the joint of the next row.
 *
 * The time is linear in the length of the line.
 */
export function wrapSpans(line: readonly Span[], options: WrapSpansOptions): readonly DrawnRow[] {
  const rows = new Rows(options);
  if (options.byWords === false) {
    for (const each of line) rows.cut(each);
    return rows.end();
  }
  let word: Span[] = [];
  for (const each of line)
    for (const part of each.text.match(PARTS) ?? []) {
      const piece = likeSpan(each, { text: part });
      if (part.trim() !== "") word.push(piece);
      else {
        rows.word(word);
        word = [];
        rows.blank(piece);
      }
    }
  rows.word(word);
  return rows.end();
}

class Rows {
  readonly #columns: number;
  readonly #rest: readonly Span[];
  readonly #restMargin: number;
  readonly #rows: DrawnRow[] = [];
  #current: Span[];
  #margin: number;
  #width: number;
  #joint: DrawnRow["joint"];
  /** Blanks that belong to the row only if a word follows on it. */
  #blanks: Span[] = [];

  constructor({ columns, first = [], rest = first }: WrapSpansOptions) {
    this.#columns = Math.max(1, columns);
    this.#rest = rest;
    this.#restMargin = widthOfSpans(rest);
    this.#current = [...first];
    this.#margin = widthOfSpans(first);
    this.#width = this.#margin;
  }

  word(pieces: readonly Span[]): void {
    if (pieces.length === 0) return;
    const width = widthOfSpans(pieces);
    const isBehindBlank = this.#blanks.length > 0;
    const blanks = widthOfSpans(this.#blanks);
    if (this.#width + blanks + width > this.#columns && this.#width > this.#margin) {
      const fitsNext = width <= this.#columns - this.#restMargin;
      const hasRoom = this.#width + blanks < this.#columns;
      if (fitsNext || (isBehindBlank && !hasRoom)) this.#push(isBehindBlank ? " " : "");
    }
    const blanksBefore = this.#blanks;
    this.#blanks = [];
    for (const each of [...blanksBefore, ...pieces]) this.cut(each);
  }

  /** Blanks at the beginning of the line stay. */
  blank(piece: Span): void {
    this.#blanks.push(piece);
  }

  /** Adds a text, and ends rows wherever they are full. */
  cut(each: Span): void {
    let left = each.text;
    while (left !== "") {
      const room = this.#columns - this.#width - (WIDENING.test(left) ? 1 : 0);
      const head = headOf(left, room);
      if (head === "" && this.#width > this.#margin) {
        this.#push("");
        continue;
      }
      const taken = head === "" ? firstCharacter(left) : head;
      this.#add(taken.length === each.text.length ? each : likeSpan(each, { text: taken }));
      left = left.slice(taken.length);
    }
  }

  end(): readonly DrawnRow[] {
    // A line of blanks alone keeps them, as far as they fit.
    if (this.#width === this.#margin && this.#rows.length === 0) {
      const [blank] = this.#blanks;
      if (blank !== undefined)
        this.cut(likeSpan(blank, { text: headOf(blank.text, this.#columns - this.#width) }));
    }
    if (this.#width > this.#margin || this.#current.length > this.#rest.length || this.#rows.length === 0)
      this.#push("");
    return this.#rows;
  }

  #add(piece: Span): void {
    this.#width += widthOf(piece.text);
    const last = this.#width > this.#margin ? this.#current.at(-1) : undefined;
    const isJoined = last !== undefined && last.style === piece.style && this.#hasText;
    if (isJoined) this.#current[this.#current.length - 1] = likeSpan(last, { text: last.text + piece.text });
    else this.#current.push(piece);
    this.#hasText = true;
  }

  /** True if the row has more than its decoration. */
  #hasText = false;

  #push(nextJoint: "" | " "): void {
    this.#rows.push({
      spans: this.#current,
      ...(this.#margin > 0 ? { margin: this.#margin } : {}),
      ...(this.#joint === undefined ? {} : { joint: this.#joint }),
    });
    this.#current = [...this.#rest];
    [this.#width, this.#margin, this.#joint] = [this.#restMargin, this.#restMargin, nextJoint];
    this.#blanks = [];
    this.#hasText = false;
  }
}

/** Returns the columns that spans take side by side, at most. */
export function widthOfSpans(spans: readonly Span[]): number {
  let width = 0;
  for (const { text } of spans) width += widthOf(text);
  return width;
}

function widthOf(text: string): number {
  return displayWidth(text) + (WIDENING.test(text) ? 1 : 0);
}

/** Returns the longest beginning of a text that fits, and examines no more of the text than needed. */
function headOf(text: string, columns: number): string {
  if (columns <= 0) return "";
  const near = text.slice(0, columns * UNITS_PER_COLUMN);
  const head = fittingHead(near, columns);
  // The end of the examined text may be half a character.
  const isHalf = head.length < text.length && /[\ud800-\udbff]$/.test(head);
  return isHalf ? head.slice(0, -1) : head;
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}
