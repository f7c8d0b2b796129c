import type { Direction } from "../../../view/terminal/bidi.ts";
import { directionOf, hasRightToLeft } from "../../../view/terminal/bidi.ts";
import { displayWidth, firstCluster, fittingHead } from "../../../view/terminal/display-width.ts";
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

/** Characters that belong to the one before them: marks, joiners, tones of skin. */
const JOINING = "\\p{M}\\p{Emoji_Modifier}\\u200c\\u200d\\uff9e\\uff9f";
/** Parts of a text at which a row may end: a run of blanks, or a word. A blank with a mark over it is no blank. */
const PARTS = new RegExp(`(?:\\s(?![${JOINING}]))+|(?:\\S|\\s(?=[${JOINING}]))+`, "gu");
const JOINED_HEAD = new RegExp(`^[${JOINING}]+`, "u");
/** Characters that are measured at once, for each column of a row: few take less than a column. */
const UNITS_PER_COLUMN = 8;

/**
 * Returns the rows of one line of spans, each at most `columns` wide. A word is not split where its style changes; one
 * that is wider than a row is cut, and no character of a reader is. The blanks at which a row ends are left out, and
 * stand in the joint of the next row.
 *
 * The time is linear in the length of the line.
 */
export function wrapSpans(line: readonly Span[], options: WrapSpansOptions): readonly DrawnRow[] {
  const whole = withWholeClusters(line);
  if (options.byWords === false) {
    const rows = new Rows(options);
    for (const each of whole) rows.cut(each);
    return rows.end();
  }
  const rows = new Rows(options, paragraphDirection(line));
  let word: Span[] = [];
  for (const each of whole)
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

/** Returns spans of which none begins with marks for the last character of the one before it. */
function withWholeClusters(line: readonly Span[]): readonly Span[] {
  if (!line.some(({ text }, at) => at > 0 && JOINED_HEAD.test(text))) return line;
  const spans: Span[] = [];
  for (const each of line) {
    const [marks = ""] = JOINED_HEAD.exec(each.text) ?? [];
    const before = marks === "" ? undefined : spans.pop();
    if (before === undefined) {
      spans.push(each);
      continue;
    }
    spans.push(likeSpan(before, { text: before.text + marks }));
    if (marks.length < each.text.length) spans.push(likeSpan(each, { text: each.text.slice(marks.length) }));
  }
  return spans;
}

/** Returns the direction of a line that has right-to-left letters; undefined for any other. */
function paragraphDirection(line: readonly Span[]): Direction | undefined {
  if (!line.some(({ text }) => hasRightToLeft(text))) return undefined;
  return directionOf(line.map(({ text }) => text).join(""));
}

class Rows {
  readonly #columns: number;
  readonly #rest: readonly Span[];
  readonly #restMargin: number;
  readonly #direction: Direction | undefined;
  readonly #rows: DrawnRow[] = [];
  #current: Span[];
  #margin: number;
  #width: number;
  #joint: DrawnRow["joint"];
  /** Blanks that belong to the row only if a word follows on it. */
  #blanks: Span[] = [];

  constructor({ columns, first = [], rest = first }: WrapSpansOptions, direction?: Direction) {
    this.#direction = direction;
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
      const head = headOf(left, this.#columns - this.#width);
      if (head === "" && this.#width > this.#margin) {
        this.#push("");
        continue;
      }
      const taken = head === "" ? firstCluster(left) : head;
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
    this.#width += displayWidth(piece.text);
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
      ...(this.#direction === undefined ? {} : { direction: this.#direction }),
    });
    this.#current = [...this.#rest];
    [this.#width, this.#margin, this.#joint] = [this.#restMargin, this.#restMargin, nextJoint];
    this.#blanks = [];
    this.#hasText = false;
  }
}

/** Returns the columns that spans take side by side, at most. */
export function widthOfSpans(spans: readonly Span[]): number {
  return spans.reduce((width, { text }) => width + displayWidth(text), 0);
}

/** Returns the longest beginning of a text that fits, and examines little more of the text than needed. */
function headOf(text: string, columns: number): string {
  if (columns <= 0) return "";
  for (let units = columns * UNITS_PER_COLUMN; ; units *= 4) {
    const head = fittingHead(text.slice(0, units), columns);
    // The examined text may end in the middle of a cluster.
    if (head.length < units || units >= text.length) return head;
  }
}
