import { displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Role, Span } from "../drawing/span.ts";
import { likeSpan, row, span } from "../drawing/span.ts";
import { codeSpans, cutSpans } from "./code-rows.ts";
import type { HunkPicture, NumberedLine } from "./hunk-picture.ts";
import { digitsOf, numberedLines, SIGNS, styleOf } from "./hunk-picture.ts";
import { unifiedRows } from "./unified-rows.ts";

const BORDER = "│";
/** Columns below which two columns of code are of no use. */
const COLUMNS_MIN = 40;

/** Returns the rows of a hunk, the old lines at the left of the new ones; unified if there is no room. */
export function sideRows(picture: HunkPicture): readonly DrawnRow[] {
  const { hunk, columns, hasNumbers } = picture;
  const half = Math.floor((columns - 1) / 2);
  const digits = hasNumbers ? digitsOf(hunk) : 0;
  if (columns < COLUMNS_MIN || half - digits < COLUMNS_MIN / 4) return unifiedRows(picture);
  return pairsOf(numberedLines(hunk)).flatMap(([left, right]) => {
    const cells = [
      cellRows(left, left?.old, picture, { half, digits }),
      cellRows(right, right?.new, picture, { half, digits }),
    ] as const;
    return pairRows(cells, half);
  });
}

type Pair = readonly [NumberedLine | undefined, NumberedLine | undefined];

/** Pairs the removed lines of a place with its added ones; a side without a line is absent. */
function pairsOf(lines: readonly NumberedLine[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let removed: NumberedLine[] = [];
  let added: NumberedLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      pairs.push([removed[at], added[at]]);
    [removed, added] = [[], []];
  };
  for (const [at, each] of lines.entries()) {
    const { kind } = each.line;
    const before = lines[at - 1]?.line.kind;
    if (kind === "removed" || (kind === "note" && before === "removed")) {
      if (added.length > 0) flush();
      removed.push(each);
    } else if (kind === "added" || (kind === "note" && before === "added")) added.push(each);
    else {
      flush();
      pairs.push([each, each]);
    }
  }
  flush();
  return pairs;
}

function cellRows(
  numbered: NumberedLine | undefined,
  number: number | undefined,
  picture: HunkPicture,
  { half, digits }: { readonly half: number; readonly digits: number },
): readonly (readonly Span[])[] {
  if (numbered === undefined) return [];
  const { line } = numbered;
  const style = styleOf(numbered, picture);
  const margin = digits + 3;
  const shown = (number === undefined ? "" : String(number)).padStart(digits);
  const first = [span(`${shown} `, { role: "dim" }), span(`${SIGNS[line.kind]} `, { role: style.role })];
  const isChanged = line.kind === "added" || line.kind === "removed";
  return cutSpans(codeSpans(line.text, style), half - margin).map((spans, at) => {
    const cell = [...(at === 0 ? first : [span(" ".repeat(margin))]), ...spans];
    return isChanged ? filledCell(cell, style.role, half) : cell;
  });
}

/** Returns a cell with a background, as wide as its half. */
function filledCell(spans: readonly Span[], fill: Role, half: number): readonly Span[] {
  const blank = span(" ".repeat(Math.max(0, half - widthOf(spans))));
  return [...spans, blank].map((each) => likeSpan(each, { style: { ...each.style, fill } }));
}

function pairRows(
  [left, right]: readonly [readonly (readonly Span[])[], readonly (readonly Span[])[]],
  half: number,
): readonly DrawnRow[] {
  const rows: DrawnRow[] = [];
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const one = left[at] ?? [];
    const blank = span(" ".repeat(Math.max(0, half - widthOf(one))));
    rows.push(row([...one, blank, span(BORDER, { role: "border" }), ...(right[at] ?? [])]));
  }
  return rows;
}

function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + displayWidth(text), 0);
}
