import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import { codeSpans, cutSpans } from "./code-rows.ts";
import type { HunkPicture, NumberedLine } from "./hunk-picture.ts";
import { digitsOf, numberedLines, SIGNS, styleOf } from "./hunk-picture.ts";

/** Columns that the code keeps before line numbers are left out. */
const CODE_COLUMNS_MIN = 24;
/** Columns below which there is no room for signs either. */
const SIGN_COLUMNS_MIN = 6;

/** Returns the rows of a hunk, one line below the other. */
export function unifiedRows(picture: HunkPicture): readonly DrawnRow[] {
  const digits = digitsOf(picture.hunk);
  const hasNumbers = picture.hasNumbers && picture.columns - 2 * digits - 4 >= CODE_COLUMNS_MIN;
  const margin = picture.columns < SIGN_COLUMNS_MIN ? 0 : hasNumbers ? 2 * digits + 4 : 2;
  return numberedLines(picture.hunk).flatMap((line) => lineRows(line, picture, { digits, margin }));
}

function lineRows(
  numbered: NumberedLine,
  picture: HunkPicture,
  { digits, margin }: { readonly digits: number; readonly margin: number },
): readonly DrawnRow[] {
  const { line } = numbered;
  const style = styleOf(numbered, picture);
  const numbers =
    margin > 2 ? `${numberText(numbered.old, digits)} ${numberText(numbered.new, digits)} ` : "";
  const first = margin === 0 ? [] : [span(numbers, { role: "dim" }), span(`${SIGNS[line.kind]} `, style)];
  const rest = margin === 0 ? [] : [span(" ".repeat(margin))];
  const isChanged = line.kind === "added" || line.kind === "removed";
  const fill = isChanged ? { fill: style.role } : {};
  const note = line.kind === "note" ? { margin: picture.columns } : { margin };
  return cutSpans(codeSpans(line.text, style), picture.columns - margin).map((spans, at) =>
    row([...(at === 0 ? first : rest), ...spans], {
      ...note,
      ...fill,
      ...(at === 0 ? {} : { joint: "" as const }),
    }),
  );
}

function numberText(number: number | undefined, digits: number): string {
  return (number === undefined ? "" : String(number)).padStart(digits);
}
