import type { RowMark } from "../../drawing/marked-row.ts";
import { markedRow } from "../../drawing/marked-row.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { span } from "../../drawing/span.ts";
import type { PlacedRow } from "../pane.ts";
import type { Search } from "../search/search.ts";
import type { MouseSelection } from "../selection/selection.ts";
import type { Browse } from "./browse.ts";

/** Columns beside the text while a person browses. */
export const GUTTER_COLUMNS = 2;
const HERE = span("┃ ", { role: "accent" });
const ELSEWHERE = span("  ");

/** Returns the rows of the window with the matches of a search and the selection marked. */
export function withMarks(
  shown: readonly PlacedRow[],
  { search, selection }: { readonly search: Search; readonly selection: MouseSelection },
): readonly DrawnRow[] {
  const rows = shown.map(({ drawn }) => drawn);
  if (!search.isActive && !selection.isThere) return rows;
  const places = shown.map(({ place }) => place);
  const { matches, current } = search.marksIn(rows, places);
  const marks: RowMark[][] = rows.map(() => []);
  for (const { row, from, to } of matches) marks[row]?.push({ from, to, role: "match" });
  for (const { row, from, to } of current) marks[row]?.push({ from, to, role: "currentMatch" });
  return shown.map((placed, at) =>
    markedRow(placed.drawn, [...(marks[at] ?? []), ...selection.marksIn(placed)]),
  );
}

/** Returns the rows of the window with a bar at the left of what is marked. */
export function withGutter(
  rows: readonly DrawnRow[],
  shown: readonly PlacedRow[],
  browse: Browse,
): readonly DrawnRow[] {
  return rows.map((drawn, at) => {
    const placed = shown[at];
    const isHere = placed !== undefined && browse.isMarked(placed);
    return {
      ...drawn,
      spans: [isHere ? HERE : ELSEWHERE, ...drawn.spans],
      margin: (drawn.margin ?? 0) + GUTTER_COLUMNS,
    };
  });
}
