import { clustersOf, clusterWidth } from "../../../../view/terminal/display-width.ts";
import { CURSOR_OFF, CURSOR_ON, ERASE_REST, SYNC_OFF, SYNC_ON, WRAP_OFF, WRAP_ON } from "../sequences.ts";
import { addressed, paintedWidth, textOfPainted } from "./painted-text.ts";

/** Place in the live region, from 0. */
interface CursorCell {
  readonly row: number;
  readonly column: number;
}

/** Rows at the bottom of the main screen that the next frame may change, and the place of the real cursor in them. */
export interface LiveRegion {
  readonly rows: readonly string[];
  readonly cursor: CursorCell;
  readonly isCursorShown: boolean;
}

/** Content of the main screen after a frame. */
export interface AppendedFrame {
  /** Rows that stay in the scrollback from now on, and are never written again. */
  readonly finished: readonly string[];
  /** Rows of the live region below them, at most as many as the screen has. */
  readonly rows: readonly string[];
  /** Absent: the cursor is hidden. */
  readonly cursor?: CursorCell;
}

/** A live region without rows: the cursor stands at the beginning of an empty row. */
export const NO_REGION: LiveRegion = { rows: [], cursor: { row: 0, column: 0 }, isCursorShown: true };

const ESCAPE = "\u001b[";
/** A frame is one synchronized update without line wrap, so that a row is one row whatever its characters take. */
const BEGIN = `${SYNC_ON}${CURSOR_OFF}${WRAP_OFF}`;
const ERASE_BELOW = `${ESCAPE}J`;
const ASCII = /^[\x20-\x7e]*$/;

/**
 * Returns the bytes of the next frame, and the live region after it. Finished rows are appended above the region. Only
 * rows that change are written, and nothing above the region is touched. Without a change there are no bytes.
 */
export function appendFrame(
  before: LiveRegion,
  { finished, rows, cursor }: AppendedFrame,
  columns: number,
): { readonly text: string; readonly region: LiveRegion } {
  const live = rows.length === 0 ? [""] : rows;
  const place = cursor ?? { row: live.length - 1, column: 0 };
  const region = { rows: live, cursor: place, isCursorShown: cursor !== undefined };
  if (isSame(before, region) && finished.length === 0) return { text: "", region };
  const pen = new Pen(before);
  for (const [at, text] of [...finished, ...live].entries()) {
    if (before.rows[at] !== text) pen.write(at, rowText(text, columns));
  }
  const count = finished.length + live.length;
  if (before.rows.length > count) pen.write(count, ERASE_BELOW);
  pen.goTo(finished.length + place.row);
  const right = place.column > 0 ? `${ESCAPE}${place.column}C` : "";
  const shown = cursor === undefined ? "" : CURSOR_ON;
  return { text: `${BEGIN}${pen.text}${right}${WRAP_ON}${shown}${SYNC_OFF}`, region };
}

/**
 * Returns the bytes that erase a live region after a change of the width: the cursor then stands at the beginning of
 * its first row.
 * @param columns the new width. @param reflows true if the terminal has wrapped the rows to the new width.
 */
export function eraseRegion(
  { rows, cursor }: LiveRegion,
  { columns, reflows }: { readonly columns: number; readonly reflows: boolean },
): string {
  const above = rows.slice(0, cursor.row);
  const up = reflows
    ? above.reduce((sum, row) => sum + wrappedLines(row, columns), 0) +
      wrappedLines(rows[cursor.row] ?? "", columns, cursor.column) -
      1
    : cursor.row;
  return `\r${up > 0 ? `${ESCAPE}${up}A` : ""}${ERASE_BELOW}`;
}

/**
 * Returns the lines that a row takes once it is wrapped, at most those up to a column. A cursor behind the text stays
 * on the last one, also if that is full.
 */
function wrappedLines(painted: string, columns: number, column = Number.POSITIVE_INFINITY): number {
  let [lines, used, at] = [1, 0, 0];
  for (const { segment } of clustersOf(textOfPainted(painted))) {
    const width = clusterWidth(segment);
    if (used > 0 && used + width > columns) {
      lines += 1;
      used = 0;
    }
    if (at + width > column) return lines;
    used += width;
    at += width;
  }
  return lines;
}

/** Returns a row that leaves nothing of the row before it. A full row would lose its last cell to the erasure. */
function rowText(text: string, columns: number): string {
  const shown = addressed(text);
  if (paintedWidth(text) < columns) return `${shown}${ERASE_REST}`;
  return ASCII.test(text) ? text : `${ERASE_REST}${shown}`;
}

function isSame(one: LiveRegion, two: LiveRegion): boolean {
  return (
    one.isCursorShown === two.isCursorShown &&
    one.cursor.row === two.cursor.row &&
    one.cursor.column === two.cursor.column &&
    one.rows.length === two.rows.length &&
    one.rows.every((row, at) => row === two.rows[at])
  );
}

/** Writes rows by their place below the first row of a region. New rows scroll the screen where it ends. */
class Pen {
  text = "";
  #at: number;
  #lowest: number;

  constructor({ rows, cursor }: LiveRegion) {
    this.#at = cursor.row;
    this.#lowest = Math.max(cursor.row, rows.length - 1);
  }

  write(row: number, text: string): void {
    this.goTo(row);
    this.text += text;
  }

  /** Goes to the beginning of a row. */
  goTo(row: number): void {
    const known = Math.min(row, this.#lowest);
    if (known < this.#at) this.text += `${ESCAPE}${this.#at - known}A`;
    if (known > this.#at) this.text += `${ESCAPE}${known - this.#at}B`;
    this.text += `\r${"\n".repeat(row - known)}`;
    this.#at = row;
    this.#lowest = Math.max(this.#lowest, row);
  }
}
