import { displayWidth } from "../../../view/terminal/display-width.ts";
import { reveal } from "../../../view/terminal/terminal-text.ts";
import type { DrawnRow, Role, Span } from "../drawing/span.ts";
import { row, span, textOfRow } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { ReviewedFile, SidePair, TrustReview } from "./parse-review.ts";
import { sidePairs } from "./parse-review.ts";

export type ReviewLayout = "unified" | "sides";

/** Columns from which the two sides of a change stand side by side (TUI-05). */
export const SIDES_COLUMNS_MIN = 120;

/** Draws lines of a unified diff. */
type DrawLines = (lines: readonly string[], columns: number) => readonly DrawnRow[];

export interface ReviewShown {
  readonly columns: number;
  /** The file that is shown, counted from 0. */
  readonly at: number;
  readonly layout: ReviewLayout;
  readonly drawLines: DrawLines;
}

/** Returns the layout by the width of the screen. */
export function layoutFor(columns: number): ReviewLayout {
  return columns >= SIDES_COLUMNS_MIN ? "sides" : "unified";
}

/** Returns the rows of a trust question: what it is about, and one of its files. */
export function drawReview({ head, files }: TrustReview, shown: ReviewShown): readonly DrawnRow[] {
  const { columns, at } = shown;
  const rows = head.flatMap((line) => wrapSpans([span(reveal(line))], { columns }));
  const file = files[at];
  if (file === undefined) return rows;
  const place = files.length > 1 ? ` (file ${at + 1} of ${files.length})` : "";
  const title = `${file.path === "" ? "" : `${reveal(file.path)}, `}${file.kind}${place}`;
  return [...rows, ...wrapSpans([span(title, { role: "heading" })], { columns }), ...fileRows(file, shown)];
}

/** A new file has one side: it is shown whole. */
function fileRows({ kind, lines }: ReviewedFile, shown: ReviewShown): readonly DrawnRow[] {
  const { columns, layout, drawLines } = shown;
  if (kind === "new" || layout === "unified") return drawLines(lines, columns);
  return sidePairs(lines).flatMap((pair) => pairRows(pair, columns));
}

function pairRows({ left, right }: SidePair, columns: number): readonly DrawnRow[] {
  const width = Math.max(1, Math.floor((columns - 3) / 2));
  const leftRows = sideRows(left, width);
  const rightRows = sideRows(right, width);
  return Array.from({ length: Math.max(leftRows.length, rightRows.length) }, (_, at) => {
    const one = leftRows[at];
    const gap = " ".repeat(Math.max(0, width - (one === undefined ? 0 : displayWidth(textOfRow(one)))));
    const between: readonly Span[] = [span(gap), span(" │ ", { role: "border" })];
    return row([...(one?.spans ?? []), ...between, ...(rightRows[at]?.spans ?? [])]);
  });
}

function sideRows(line: string | undefined, columns: number): readonly DrawnRow[] {
  if (line === undefined) return [];
  const role: Role = line.startsWith("+")
    ? "added"
    : line.startsWith("-")
      ? "removed"
      : line.startsWith("@@")
        ? "dim"
        : "text";
  return wrapSpans([span(reveal(line), { role })], { columns, byWords: false });
}
