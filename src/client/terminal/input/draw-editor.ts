import { displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { EditorState } from "./editor.ts";

export interface DrawnEditor {
  readonly rows: readonly DrawnRow[];
  /** The place of the cursor in the rows, from 0. */
  readonly cursor: { readonly row: number; readonly column: number };
}

const MARK = "> ";

/** Returns the rows of the editor, at most `rowsMax`, those around the cursor. */
export function drawEditor({ text, cursor }: EditorState, columns: number, rowsMax: number): DrawnEditor {
  const rows: DrawnRow[] = [];
  let place = { row: 0, column: MARK.length };
  let from = 0;
  for (const [at, line] of text.split("\n").entries()) {
    const first = [span(at === 0 ? MARK : "  ", { role: "accent" })];
    const drawn = wrapSpans([span(line)], {
      columns: columns - 1,
      first,
      rest: [span("  ")],
      byWords: false,
    });
    const isHere = cursor >= from && cursor <= from + line.length;
    if (isHere) {
      let left = cursor - from;
      for (const [index, each] of drawn.entries()) {
        const written = each.spans
          .slice(1)
          .map((one) => one.text)
          .join("");
        if (left <= written.length || index === drawn.length - 1) {
          place = { row: rows.length + index, column: MARK.length + displayWidth(written.slice(0, left)) };
          break;
        }
        left -= written.length;
      }
    }
    rows.push(...drawn);
    from += line.length + 1;
  }
  const top = Math.max(0, Math.min(place.row - rowsMax + 1, rows.length - rowsMax));
  return { rows: rows.slice(top, top + rowsMax), cursor: { row: place.row - top, column: place.column } };
}
