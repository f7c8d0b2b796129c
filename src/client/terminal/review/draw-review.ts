import { reveal } from "../../../view/terminal/terminal-text.ts";
import type { DiffLayout } from "../diff/diff-layout.ts";
import { drawSignedLines, drawWhole } from "../diff/draw-whole.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { ReviewedFile, TrustReview } from "./parse-review.ts";

export interface ReviewShown {
  readonly columns: number;
  /** The file that is shown, counted from 0. */
  readonly at: number;
  readonly layout: DiffLayout;
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

/** A new file has one side: it is never drawn beside an empty one. */
function fileRows({ kind, lines, remarks, diff }: ReviewedFile, shown: ReviewShown): readonly DrawnRow[] {
  const { columns, layout } = shown;
  const whole = { columns, layout: kind === "new" ? "unified" : layout } as const;
  return [...drawSignedLines(remarks, columns), ...drawWhole([diff], lines.slice(remarks.length), whole)];
}
