import { firstCluster, fittingHead } from "../../../../view/terminal/display-width.ts";
import { marginUnits } from "../../drawing/row-text.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { textOfRow } from "../../drawing/span.ts";
import type { PlacedRow } from "../pane.ts";
import type { RowLocation } from "../place.ts";
import { isBefore } from "../place.ts";

/** A place in the text of a row. */
export interface Point {
  readonly place: RowLocation;
  /** Index in the text of the row, in units. */
  readonly unit: number;
}

/** A part of the transcript, from one point up to another one. */
export interface Extent {
  readonly from: Point;
  readonly to: Point;
}

/** A part that a click selects: a character, a word, a line with all rows that it is wrapped into. */
export type SelectionUnit = "character" | "word" | "line";

/** A path, an address or a word: brackets, quotes and commas end it. */
const WORD = /[^\s"'`()[\]{}<>|,;]+/g;

/** Returns the part at a cell of a row. @param rows all rows of the part that the row belongs to. */
export function extentAt(
  { place, drawn }: PlacedRow,
  {
    column,
    unit,
    rows,
  }: { readonly column: number; readonly unit: SelectionUnit; readonly rows: readonly DrawnRow[] },
): Extent {
  if (unit === "line") return lineExtent(place, rows);
  const text = textOfRow(drawn);
  const margin = marginUnits(drawn, text);
  const here = Math.max(margin, fittingHead(text, column).length);
  if (unit === "word") {
    const word = Array.from(text.matchAll(WORD)).find(
      ({ index, 0: found }) => index <= here && here < index + found.length,
    );
    if (word !== undefined) return extent(place, Math.max(margin, word.index), word.index + word[0].length);
  }
  return extent(place, here, here + firstCluster(text.slice(here)).length);
}

/** Returns the part that covers two parts and what is between them. */
export function joinedExtent(one: Extent, two: Extent): Extent {
  return {
    from: isPointBefore(two.from, one.from) ? two.from : one.from,
    to: isPointBefore(one.to, two.to) ? two.to : one.to,
  };
}

/** Returns the selected units of a row, without its margin; undefined if none is. */
export function selectedUnits(
  { place, drawn }: PlacedRow,
  { from, to }: Extent,
): { readonly from: number; readonly to: number } | undefined {
  if (isBefore(place, from.place) || isBefore(to.place, place)) return undefined;
  const text = textOfRow(drawn);
  const begin = isBefore(from.place, place) ? 0 : from.unit;
  const end = isBefore(place, to.place) ? text.length : to.unit;
  return { from: Math.max(marginUnits(drawn, text), begin), to: Math.min(text.length, end) };
}

function lineExtent(place: RowLocation, rows: readonly DrawnRow[]): Extent {
  let [first, last] = [place.row, place.row];
  while (first > 0 && rows[first]?.joint !== undefined) first -= 1;
  while (rows[last + 1]?.joint !== undefined) last += 1;
  const end = rows[last];
  return {
    from: { place: { ...place, row: first }, unit: 0 },
    to: { place: { ...place, row: last }, unit: end === undefined ? 0 : textOfRow(end).length },
  };
}

function extent(place: RowLocation, from: number, to: number): Extent {
  return { from: { place, unit: from }, to: { place, unit: to } };
}

function isPointBefore(one: Point, two: Point): boolean {
  if (isBefore(one.place, two.place)) return true;
  return !isBefore(two.place, one.place) && one.unit < two.unit;
}
