import type { Direction } from "../../../../view/terminal/bidi.ts";
import { directionOf, hasRightToLeft } from "../../../../view/terminal/bidi.ts";
import { displayWidth } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow, Span, Style } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import type { ActionName } from "../../keys/actions.ts";
import type { KeyTable } from "../../keys/key-table.ts";
import type { EditorState } from "./editor.ts";
import { markColumns, wrapColumns } from "./editor.ts";
import { startOfLine } from "./graphemes.ts";
import type { Cell } from "./visual-rows.ts";
import { columnIn, rowsAround } from "./visual-rows.ts";

export interface DrawnEditor {
  readonly rows: readonly DrawnRow[];
  /** The place of the cursor in the rows, from 0. */
  readonly cursor: { readonly row: number; readonly column: number };
}

export interface DrawEditorOptions {
  /** Two cells before the first row. Default: `> `. */
  readonly mark?: string;
  /** A part that is selected. Default: none. */
  readonly selected?: { readonly from: number; readonly to: number };
}

const MARK = "> ";
const PLAIN: Style = {};
const CHIP: Style = { role: "accent" };
const SELECTED: Style = { role: "selected" };
const MORE_ABOVE = "↑ ";
const MORE_BELOW = "↓ ";
/** Units that are searched for the first letter of a line. */
const LINE_UNITS_MAX = 4_096;

/** Returns the rows of the editor, at most `rowsMax`, those around the cursor. */
export function drawEditor(
  state: EditorState,
  columns: number,
  rowsMax: number,
  options: DrawEditorOptions = {},
): DrawnEditor {
  const { text, chips, cursor } = state;
  const margin = markColumns(columns);
  const { rows, index } = rowsAround({ text, chips, columns: wrapColumns(columns) }, cursor, rowsMax);
  const drawn = rows.map(({ cells, from, to, endsLine }, at) => {
    const isCutBelow = at === rows.length - 1 && rows.length > 1 && (!endsLine || to < text.length);
    const isCutAbove = at === 0 && rows.length > 1 && from > 0;
    const begins = from === 0 ? (options.mark ?? MARK) : "  ";
    const mark = isCutAbove ? MORE_ABOVE : isCutBelow ? MORE_BELOW : begins;
    const role = isCutAbove || isCutBelow ? "dim" : "accent";
    const spans = [...(margin === 0 ? [] : [span(mark, { role })]), ...spansOf(cells, options.selected)];
    const isRight = cells.some((cell) => hasRightToLeft(cell.text));
    return row(spans, { margin, ...(isRight ? { direction: lineDirection(text, from) } : {}) });
  });
  const here = rows[index];
  const column = margin + (here === undefined ? 0 : columnIn(here, cursor));
  return {
    rows: drawn,
    cursor: { row: index, column: Math.min(column, Math.max(margin, columns - 1)) },
  };
}

/** Returns the direction of the line of a place: that of its first letters. */
function lineDirection(text: string, at: number): Direction {
  const start = startOfLine(text, at);
  return directionOf(text.slice(start, start + LINE_UNITS_MAX));
}

function spansOf(cells: readonly Cell[], selected: DrawEditorOptions["selected"]): readonly Span[] {
  const spans: Span[] = [];
  let style = PLAIN;
  let text = "";
  for (const cell of cells) {
    const next = styleOf(cell, selected);
    if (next !== style && text !== "") {
      spans.push(span(text, style));
      text = "";
    }
    style = next;
    text += cell.text;
  }
  return text === "" ? spans : [...spans, span(text, style)];
}

function styleOf({ at, chip }: Cell, selected: DrawEditorOptions["selected"]): Style {
  if (selected !== undefined && at >= selected.from && at < selected.to) return SELECTED;
  return chip === undefined ? PLAIN : CHIP;
}

/** Returns what an empty draft takes, for a person who has not sent anything yet; undefined if it does not fit. */
export function draftHint(keys: KeyTable, columns: number): string | undefined {
  const named = (action: ActionName, word: string) => {
    const [key] = keys.keysOf(action);
    return key === undefined ? [] : [`${key} ${word}`];
  };
  const help = named("app.helpIfEmpty", "keys");
  const palette = named("app.palette", "palette");
  const ways = [
    ["Ask for something", "/ commands", "@ files", "! shell", ...help, ...palette],
    ["Ask, or / @ !", ...help, ...palette],
    ["Ask, or / @ !", ...help],
  ];
  return ways.map((parts) => parts.join(" · ")).find((text) => displayWidth(text) <= columns);
}
