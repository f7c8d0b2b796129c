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

/**
 * Returns the rows of one line of spans, each at most `columns` wide. A word that is wider than a row is cut. The
 * blanks at which a row ends are left out, and stand in the joint of the next row.
 */
export function wrapSpans(line: readonly Span[], options: WrapSpansOptions): readonly DrawnRow[] {
  const { columns, first = [], rest = first, byWords = true } = options;
  const rows: DrawnRow[] = [];
  const marginOf = (decoration: readonly Span[]) =>
    decoration.reduce((sum, { text }) => sum + displayWidth(text), 0);
  const [firstMargin, restMargin] = [marginOf(first), marginOf(rest)];
  let current: Span[] = [...first];
  let [width, margin] = [firstMargin, firstMargin];
  let joint: DrawnRow["joint"];
  const roomOf = (taken: number) => Math.max(1, columns) - taken;
  const push = (nextJoint: "" | " ") => {
    rows.push({
      spans: current,
      ...(margin > 0 ? { margin } : {}),
      ...(joint === undefined ? {} : { joint }),
    });
    current = [...rest];
    [width, margin, joint] = [restMargin, restMargin, nextJoint];
  };
  for (const each of line) {
    const parts = byWords ? (each.text.match(PARTS) ?? []) : each.text === "" ? [] : [each.text];
    for (const part of parts) {
      const partWidth = displayWidth(part);
      if (partWidth <= roomOf(width)) {
        current.push(likeSpan(each, { text: part }));
        width += partWidth;
        continue;
      }
      if (byWords && part.trim() === "") {
        push(" ");
        continue;
      }
      if (byWords && width > margin && partWidth <= roomOf(restMargin)) push(joinedBy(current));
      let left = part;
      while (displayWidth(left) > roomOf(width)) {
        const head = fittingHead(left, roomOf(width));
        if (head === "" && width > margin) {
          push("");
          continue;
        }
        const taken = head === "" ? firstCharacter(left) : head;
        current.push(likeSpan(each, { text: taken }));
        left = left.slice(taken.length);
        push("");
      }
      if (left === "") continue;
      current.push(likeSpan(each, { text: left }));
      width += displayWidth(left);
    }
  }
  if (current.length > rest.length || rows.length === 0) push("");
  return rows.map(withoutBlankEnd);
}

/** Returns the joint before the next row: a blank if the row ends with one. */
function joinedBy(spans: readonly Span[]): "" | " " {
  return spans.at(-1)?.text.trim() === "" && spans.length > 0 ? " " : "";
}

function withoutBlankEnd(drawn: DrawnRow): DrawnRow {
  const last = drawn.spans.at(-1);
  if (last === undefined || !/^\s+$/.test(last.text) || drawn.spans.length === 1) return drawn;
  return { ...drawn, spans: drawn.spans.slice(0, -1) };
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}
