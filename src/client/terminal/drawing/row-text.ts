import { fittingHead } from "../../../view/terminal/display-width.ts";
import type { DrawnRow } from "./span.ts";
import { textOfRow } from "./span.ts";

/** The text of some rows as one: soft wraps are joined, and what only decorates is left out. */
export interface JoinedText {
  readonly text: string;
  /** Index in the text at which each row begins. */
  readonly starts: readonly number[];
  /** Units that each row has before that: its margin. */
  readonly margins: readonly number[];
}

/** A part of a row, in units of its text. */
export interface RowRange {
  /** Index of the row. */
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** Returns the units of a row that only decorate: an indent, a bar, a line number. */
export function marginUnits({ margin = 0 }: DrawnRow, text: string): number {
  return margin === 0 ? 0 : fittingHead(text, margin).length;
}

/** Returns the texts of rows as one text. Rows that only decorate are empty lines in it. */
export function joinedText(rows: readonly DrawnRow[]): JoinedText {
  const starts: number[] = [];
  const margins: number[] = [];
  let text = "";
  for (const [at, drawn] of rows.entries()) {
    const whole = textOfRow(drawn);
    const margin = marginUnits(drawn, whole);
    if (at > 0) text += drawn.joint ?? "\n";
    starts.push(text.length);
    margins.push(margin);
    text += margin === 0 ? whole : whole.slice(margin);
  }
  return { text, starts, margins };
}

/** Returns the parts of rows that a part of their joined text covers. */
export function rangesOf(
  { starts, margins, text }: JoinedText,
  from: number,
  to: number,
): readonly RowRange[] {
  const ranges: RowRange[] = [];
  for (let row = rowAt(starts, from); row < starts.length; row += 1) {
    const start = starts[row] ?? 0;
    if (start >= to) break;
    const end = starts[row + 1] ?? text.length;
    const margin = margins[row] ?? 0;
    ranges.push({ row, from: margin + Math.max(0, from - start), to: margin + Math.min(end, to) - start });
  }
  return ranges;
}

/** Returns the index of the last row that begins at or before an index of the text. */
function rowAt(starts: readonly number[], index: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
