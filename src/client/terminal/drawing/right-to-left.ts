import { hasRightToLeft, RIGHT_RUNS, visualOrder } from "../../../view/terminal/bidi.ts";
import { clustersOf, clusterWidth } from "../../../view/terminal/display-width.ts";
import { marginUnits } from "./row-text.ts";
import type { DrawnRow, Span } from "./span.ts";
import { likeSpan, textOfRow } from "./span.ts";

export const RIGHT_TO_LEFT = ["isolate", "reorder", "plain"] as const;

/**
 * Form of words that are read from the right to the left. `isolate`: in the order in which they are read, each
 * run between isolate marks, for terminals that reorder them: nothing beside them moves. `reorder`: in the order in
 * which they are seen, for terminals that show characters as they come. `plain`: as they are read, without marks.
 */
export type RightToLeft = (typeof RIGHT_TO_LEFT)[number];

// The only marks of direction that reach the terminal: those of texts are neutralised.
const ISOLATE = "\u2067";
const ISOLATE_END = "\u2069";

/** A part of the text of a row, in units, that is read from the right to the left. */
interface Part {
  readonly from: number;
  readonly to: number;
}

/** Returns the spans of a row with its right-to-left words as the terminal needs them. The row stays as wide. */
export function directed(drawn: DrawnRow, how: RightToLeft): readonly Span[] {
  const parts = how === "plain" ? [] : rightParts(drawn);
  if (parts.length === 0) return drawn.spans;
  return how === "isolate" ? isolated(drawn.spans, parts) : spansOf(reordered(drawn.spans, parts));
}

/**
 * Returns the column at which the caret before a column of the text is shown on a terminal that gets words in the order
 * in which they are seen. At the end of a right-to-left paragraph it stands at the left of its text.
 */
export function shownColumn(drawn: DrawnRow, column: number): number {
  const parts = rightParts(drawn);
  if (parts.length === 0) return column;
  const found = reordered(drawn.spans, parts).find((cell) => covers(cell.column, cell.width, column));
  if (found !== undefined) return found.shown;
  return drawn.direction === "rtl" ? Math.max(0, (drawn.margin ?? 0) - 1) : column;
}

/** Returns the column of the text that such a terminal shows at a column. */
export function textColumn(drawn: DrawnRow, column: number): number {
  const parts = rightParts(drawn);
  if (parts.length === 0) return column;
  const found = reordered(drawn.spans, parts).find((cell) => covers(cell.shown, cell.width, column));
  return found?.column ?? column;
}

function covers(from: number, width: number, column: number): boolean {
  return from <= column && column < from + width;
}

/**
 * Returns the parts of a row that are read from the right to the left: all of a paragraph that begins so, else its runs
 * of such words. A row whose parts stand side by side has runs in each of them.
 */
function rightParts(drawn: DrawnRow): readonly Part[] {
  const { spans, direction } = drawn;
  if (direction !== "rtl" && !spans.some(({ text }) => hasRightToLeft(text))) return [];
  if (direction === undefined) {
    let start = 0;
    return spans.flatMap(({ text }) => {
      const runs = runsOf(text, start);
      start += text.length;
      return runs;
    });
  }
  const text = textOfRow(drawn);
  const margin = marginUnits(drawn, text);
  const content = text.slice(margin);
  if (direction === "ltr") return runsOf(content, margin);
  const from = margin + content.length - content.trimStart().length;
  const to = margin + content.trimEnd().length;
  return from < to ? [{ from, to }] : [];
}

function runsOf(text: string, start: number): readonly Part[] {
  return Array.from(text.matchAll(RIGHT_RUNS), ({ index, 0: run }) => ({
    from: start + index,
    to: start + index + run.length,
  }));
}

/** Returns spans with isolate marks around parts of their text. */
function isolated(spans: readonly Span[], parts: readonly Part[]): readonly Span[] {
  let start = 0;
  return spans.map((each) => {
    const { text } = each;
    const end = start + text.length;
    const marks = parts.flatMap(({ from, to }) => [
      ...(start <= from && from < end ? [{ at: from - start, mark: ISOLATE }] : []),
      ...(start < to && to <= end ? [{ at: to - start, mark: ISOLATE_END }] : []),
    ]);
    start = end;
    if (marks.length === 0) return each;
    let [marked, done] = ["", 0];
    for (const { at, mark } of marks) {
      marked += `${text.slice(done, at)}${mark}`;
      done = at;
    }
    return likeSpan(each, { text: `${marked}${text.slice(done)}` });
  });
}

/** A cluster of a row, in the order in which it is shown. */
interface ShownCell {
  readonly of: Span;
  readonly text: string;
  readonly width: number;
  /** Its column in the text, and the one at which it is shown. */
  readonly column: number;
  readonly shown: number;
}

function reordered(spans: readonly Span[], parts: readonly Part[]): readonly ShownCell[] {
  const cells: (Omit<ShownCell, "shown"> & { readonly unit: number })[] = [];
  let [unit, column] = [0, 0];
  for (const of of spans)
    for (const { segment: text } of clustersOf(of.text)) {
      const width = clusterWidth(text);
      cells.push({ of, text, width, column, unit });
      unit += text.length;
      column += width;
    }
  for (const { from, to } of parts) {
    const first = cells.findIndex((cell) => cell.unit >= from);
    const part = cells.filter((cell) => cell.unit >= from && cell.unit < to);
    const order = visualOrder(
      part.map(({ text }) => text),
      "rtl",
    );
    const turned = order.flatMap(({ index, text }) => {
      const cell = part[index];
      return cell === undefined ? [] : [{ ...cell, text }];
    });
    cells.splice(first, part.length, ...turned);
  }
  let shown = 0;
  return cells.map(({ of, text, width, column: at }) => {
    const place = shown;
    shown += width;
    return { of, text, width, column: at, shown: place };
  });
}

/** Returns the spans of cells: neighbours of one span are one again. */
function spansOf(cells: readonly ShownCell[]): readonly Span[] {
  const spans: Span[] = [];
  let last: Span | undefined;
  for (const { of, text } of cells) {
    const before = last === of ? spans.pop() : undefined;
    spans.push(likeSpan(of, { text: `${before?.text ?? ""}${text}` }));
    last = of;
  }
  return spans;
}
