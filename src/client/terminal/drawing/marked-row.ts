import type { DrawnRow, Role, Span } from "./span.ts";
import { likeSpan } from "./span.ts";

/** A part of a row, in units of its text, that is drawn in another role, with the background of that role. */
export interface RowMark {
  readonly from: number;
  readonly to: number;
  readonly role: Role;
}

/** Returns a row with parts of it in other roles. Where two marks overlap, the later one counts. */
export function markedRow(drawn: DrawnRow, marks: readonly RowMark[]): DrawnRow {
  return marks.reduce(withMark, drawn);
}

function withMark(drawn: DrawnRow, { from, to, role }: RowMark): DrawnRow {
  const spans: Span[] = [];
  let at = 0;
  for (const each of drawn.spans) {
    const { text, style } = each;
    const [begin, end] = [Math.max(0, from - at), Math.min(text.length, to - at)];
    at += text.length;
    if (begin >= end) {
      spans.push(each);
      continue;
    }
    if (begin > 0) spans.push(likeSpan(each, { text: text.slice(0, begin) }));
    spans.push(likeSpan(each, { text: text.slice(begin, end), style: { ...style, role, fill: role } }));
    if (end < text.length) spans.push(likeSpan(each, { text: text.slice(end) }));
  }
  return { ...drawn, spans };
}
