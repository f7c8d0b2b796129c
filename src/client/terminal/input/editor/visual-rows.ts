import { displayWidth } from "../../../../view/terminal/display-width.ts";
import { neutraliseLine } from "../../../../view/terminal/terminal-text.ts";
import type { Chip } from "./chips.ts";
import { chipAt } from "./chips.ts";
import { bordered, endOfLine, graphemesOf, startOfLine } from "./graphemes.ts";

/** A grapheme on the screen, of the text or of the label of a chip. */
export interface Cell {
  /** The place of a caret before it; of the end of its chip for all but the first character of a label. */
  readonly at: number;
  /** Safe text. */
  readonly text: string;
  readonly width: number;
  /** Set for the characters of a label: `start` for the first one. */
  readonly chip?: "start" | "rest";
}

/** A row of the draft as it is wrapped. */
export interface VisualRow {
  readonly cells: readonly Cell[];
  readonly from: number;
  readonly to: number;
  /** True if its line ends with it: the caret can stand behind its last character. */
  readonly endsLine: boolean;
}

/** A text with the columns in which it is wrapped. */
export interface DraftText {
  readonly text: string;
  readonly chips: readonly Chip[];
  readonly columns: number;
}

/**
 * Units that are wrapped at once: a longer line begins a new row at each multiple, so that the work for a frame does
 * not grow with the line.
 */
const BLOCK_UNITS = 2_048;

interface Block {
  readonly from: number;
  readonly to: number;
  readonly endsLine: boolean;
}

function blockAt(text: string, at: number): Block {
  const start = startOfLine(text, at);
  const end = endOfLine(text, at);
  const borderOf = (index: number) =>
    Math.min(end, bordered(text, Math.min(end, start + index * BLOCK_UNITS)));
  let index = Math.floor((at - start) / BLOCK_UNITS);
  while (index > 0 && (borderOf(index) > at || borderOf(index) === end)) index -= 1;
  const to = borderOf(index + 1);
  return { from: index === 0 ? start : borderOf(index), to, endsLine: to === end };
}

function blockBefore(text: string, { from }: Block): Block | undefined {
  return from === 0 ? undefined : blockAt(text, from - 1);
}

function blockBehind(text: string, { to, endsLine }: Block): Block | undefined {
  if (!endsLine) return blockAt(text, to);
  return to === text.length ? undefined : blockAt(text, to + 1);
}

function cellsOf({ text, chips }: DraftText, { from, to }: Block): readonly Cell[] {
  const cells: Cell[] = [];
  for (const { segment, index } of graphemesOf(text.slice(from, to))) {
    const at = from + index;
    const chip = chipAt(chips, segment);
    if (chip === undefined) {
      cells.push(cellOf(at, segment));
      continue;
    }
    const end = at + segment.length;
    for (const { segment: character, index: place } of graphemesOf(chip.label))
      cells.push({
        ...cellOf(place === 0 ? at : end, character),
        chip: place === 0 ? "start" : "rest",
      });
  }
  return cells;
}

function cellOf(at: number, segment: string): Cell {
  const unit = segment.length === 1 ? segment.charCodeAt(0) : 0;
  if (unit >= 0x20 && unit < 0x7f) return { at, text: segment, width: 1 };
  if (unit >= 0x4e00 && unit <= 0x9fff) return { at, text: segment, width: 2 };
  const shown = neutraliseLine(segment);
  return { at, text: shown, width: displayWidth(shown) };
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0);
}

/** Returns the rows of a block, which end behind a blank where they can. */
function rowsOf(draft: DraftText, block: Block): readonly VisualRow[] {
  const lines: (readonly Cell[])[] = [];
  let current: Cell[] = [];
  let width = 0;
  for (const cell of cellsOf(draft, block)) {
    // One blank may stand in the column of the caret, so that no row begins with it.
    const room = draft.columns + (cell.text === " " ? 1 : 0);
    while (current.length > 0 && width + cell.width > room) {
      const blank = current.findLastIndex(({ text, chip }) => text === " " && chip === undefined);
      const end = blank === -1 || cell.text === " " ? current.length : blank + 1;
      lines.push(current.slice(0, end));
      current = end === current.length ? [] : current.slice(end);
      width = widthOf(current);
    }
    current.push(cell);
    width += cell.width;
  }
  lines.push(current);
  return lines.map((cells, index) => {
    const isLast = index === lines.length - 1;
    const from = index === 0 ? block.from : (cells[0]?.at ?? block.from);
    const to = isLast ? block.to : (lines[index + 1]?.[0]?.at ?? block.to);
    return { cells, from, to, endsLine: isLast && block.endsLine };
  });
}

function indexIn(rows: readonly VisualRow[], at: number): number {
  return Math.max(
    0,
    rows.findLastIndex(({ from }) => from <= at),
  );
}

/** Returns the columns before a caret in its row. */
export function columnIn({ cells }: VisualRow, at: number): number {
  return widthOf(cells.filter((cell) => (cell.chip === "rest" ? cell.at <= at : cell.at < at)));
}

/** Returns the place in a row that is nearest to a column, not behind it. */
function placeIn({ cells, to, endsLine, from }: VisualRow, column: number): number {
  let width = 0;
  let last = from;
  for (const cell of cells) {
    last = cell.at;
    width += cell.width;
    if (width > column) return cell.at;
  }
  return endsLine ? to : last;
}

/** Rows around a caret. */
export interface RowWindow {
  readonly rows: readonly VisualRow[];
  /** The index of the row with the caret. */
  readonly index: number;
}

/** Returns at most `rowsMax` rows with that of the caret in their middle, as far as there are rows around it. */
export function rowsAround(draft: DraftText, at: number, rowsMax: number): RowWindow {
  let first = blockAt(draft.text, at);
  let last = first;
  let rows = rowsOf(draft, first);
  let index = indexIn(rows, at);
  while (index < rowsMax) {
    const block = blockBefore(draft.text, first);
    if (block === undefined) break;
    const more = rowsOf(draft, block);
    rows = [...more, ...rows];
    index += more.length;
    first = block;
  }
  while (rows.length - index < rowsMax) {
    const block = blockBehind(draft.text, last);
    if (block === undefined) break;
    rows = [...rows, ...rowsOf(draft, block)];
    last = block;
  }
  const top = Math.max(0, Math.min(index - Math.floor(rowsMax / 2), rows.length - rowsMax));
  return { rows: rows.slice(top, top + rowsMax), index: index - top };
}

/** A place in the row above or below, and the column that the caret aims at. */
export interface VerticalMove {
  readonly at: number;
  readonly column: number;
}

/** Returns the place one row above or below; undefined in the first or last row. */
export function verticalMove(
  draft: DraftText,
  at: number,
  step: -1 | 1,
  column?: number,
): VerticalMove | undefined {
  let block: Block | undefined = blockAt(draft.text, at);
  let rows = rowsOf(draft, block);
  let index = indexIn(rows, at);
  const here = rows[index];
  const aim = column ?? (here === undefined ? 0 : columnIn(here, at));
  for (;;) {
    index += step;
    if (index < 0 || index >= rows.length) {
      block = step < 0 ? blockBefore(draft.text, block) : blockBehind(draft.text, block);
      if (block === undefined) return undefined;
      rows = rowsOf(draft, block);
      index = step < 0 ? rows.length - 1 : 0;
    }
    const row = rows[index];
    if (row === undefined) return undefined;
    const place = placeIn(row, aim);
    // Rows with the rest of a label have no place of their own.
    if ((place - at) * step > 0) return { at: place, column: aim };
  }
}
