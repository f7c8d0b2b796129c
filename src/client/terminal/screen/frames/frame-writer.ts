import { isSimple } from "../../../../view/terminal/display-width.ts";
import type { ScreenFrame, Size } from "../screen.ts";
import { CURSOR_OFF, CURSOR_ON, cursorTo, ERASE_REST, SYNC_OFF, SYNC_ON } from "../sequences.ts";
import { addressed, paintedWidth, splitsCharacter, textOfPainted } from "./painted-text.ts";

const RESET = "\u001b[0m";
/** Control sequences that a painted row can have: SGR, and the two ends of a link. */
const SEQUENCE = /\u001b(?:\[[0-9;]*m|\]8;[^\u0007\u001b]*(?:\u001b\\|\u0007))/y;
/** Characters without a width of their own. */
const JOINING = /^(?:\p{Mark}|\p{Default_Ignorable_Code_Point})/u;
/** Rows that must be saved by moving a part of the screen. */
const MOVED_ROWS_MIN = 3;
/** Rows by which a part of the screen is moved at most. */
const MOVED_BY_MAX = 40;

/**
 * Makes the bytes that turn the picture on a terminal into the next one. Only what has changed is written: a row that
 * keeps its text is never erased, text that has moved is moved by the terminal, and the rest of a row is cleared only
 * behind its new text.
 */
export class FrameWriter {
  #rows: readonly string[] = [];
  #size: Size | undefined;
  #cursor = "";

  /** Forgets the picture: the next one is written whole. */
  reset(): void {
    this.#size = undefined;
  }

  /** Returns the bytes for the next picture; empty if nothing has changed. */
  update({ rows, cursor }: ScreenFrame, size: Size): string {
    const next = Array.from({ length: size.rows }, (_, at) => rows[at] ?? "");
    const isWhole = this.#size?.columns !== size.columns || this.#size.rows !== size.rows;
    const changes = isWhole ? wholeRows(next, size.columns) : changedRows(this.#rows, next, size.columns);
    const place = cursorAt(cursor, size);
    const isMoved = changes !== "" || place !== this.#cursor;
    [this.#rows, this.#size, this.#cursor] = [next, size, place];
    if (!isMoved) return "";
    // A hidden cursor does not jump through the rows on terminals that do not know synchronized updates.
    const hidden = changes === "" ? "" : CURSOR_OFF;
    return `${SYNC_ON}${hidden}${changes}${place}${SYNC_OFF}`;
  }
}

function cursorAt(cursor: ScreenFrame["cursor"], { columns }: Size): string {
  if (cursor === undefined) return CURSOR_OFF;
  return `${cursorTo(cursor.row, Math.min(columns - 1, cursor.column))}${CURSOR_ON}`;
}

function wholeRows(rows: readonly string[], columns: number): string {
  const written = rows.map((text, row) => `${cursorTo(row, 0)}${addressed(text)}${clearing(text, columns)}`);
  return `${RESET}${written.join("")}`;
}

function changedRows(before: readonly string[], after: readonly string[], columns: number): string {
  const move = bestMove(before, after);
  const shown = move === undefined ? before : moved(before, move);
  const rows = after.map((text, row) => {
    const old = shown[row] ?? "";
    return old === text ? "" : `${changedRow(row, old, text)}${clearingAfter(old, text, columns)}`;
  });
  return `${move === undefined ? "" : moveBytes(move)}${rows.join("")}`;
}

/** A part of the screen whose text goes up by some rows, or down for negative ones. */
interface Move {
  readonly top: number;
  readonly bottom: number;
  readonly by: number;
}

/** Returns the move that leaves the fewest rows to be written; undefined if none is worth it. */
function bestMove(before: readonly string[], after: readonly string[]): Move | undefined {
  const top = after.findIndex((text, row) => text !== before[row]);
  if (top < 0) return undefined;
  const bottom = after.findLastIndex((text, row) => text !== before[row]);
  const height = bottom - top + 1;
  let best: Move | undefined;
  let mostSaved = MOVED_ROWS_MIN - 1 + kept(before, after, { top, bottom, by: 0 });
  for (let by = 1; by <= Math.min(MOVED_BY_MAX, height - 1); by += 1)
    for (const move of [
      { top, bottom, by },
      { top, bottom, by: -by },
    ]) {
      const saved = kept(before, after, move);
      if (saved > mostSaved && !disturbs(before, after, move)) [best, mostSaved] = [move, saved];
    }
  return best;
}

/** Counts the rows with text that need not be written after a move. */
function kept(before: readonly string[], after: readonly string[], { top, bottom, by }: Move): number {
  let count = 0;
  for (let row = Math.max(top, top - by); row <= Math.min(bottom, bottom - by); row += 1) {
    const text = after[row];
    if (text !== "" && text === before[row + by]) count += 1;
  }
  return count;
}

/**
 * Returns true if a row that keeps its text would lose it for a moment. Without synchronized updates that can be seen.
 */
function disturbs(before: readonly string[], after: readonly string[], move: Move): boolean {
  const shown = moved(before, move);
  return after.some((text, row) => text !== "" && text === before[row] && text !== shown[row]);
}

function moved(rows: readonly string[], { top, bottom, by }: Move): readonly string[] {
  return rows.map((text, row) => {
    if (row < top || row > bottom) return text;
    const from = row + by;
    return from < top || from > bottom ? "" : (rows[from] ?? "");
  });
}

function moveBytes({ top, bottom, by }: Move): string {
  return `\u001b[${top + 1};${bottom + 1}r${cursorTo(top, 0)}\u001b[${Math.abs(by)}${by > 0 ? "M" : "L"}\u001b[r`;
}

/** Returns the bytes for one row: from the first character that differs. */
function changedRow(row: number, before: string, after: string): string {
  const { length, open, isStart } = sharedBeginning(before, after);
  const text = after.slice(length);
  const column = isStart ? 0 : paintedWidth(after.slice(0, length));
  return `${cursorTo(row, column)}${open}${addressed(text, column)}`;
}

/** Clears the rest of a row where its old text may have been longer. */
function clearingAfter(before: string, after: string, columns: number): string {
  const [old, next] = [textOfPainted(before), textOfPainted(after)];
  const isSure = isSimple(old) && isSimple(next);
  return isSure && paintedWidth(after) >= paintedWidth(before) ? "" : clearing(after, columns);
}

/** Clears behind the text of a row. A text that fills the row leaves the cursor on its last cell: nothing is behind. */
function clearing(text: string, columns: number): string {
  return paintedWidth(text) >= columns ? "" : ERASE_REST;
}

interface Beginning {
  /** Characters of the painted rows that are the same. */
  readonly length: number;
  /** Sequences that are in effect there. */
  readonly open: string;
  readonly isStart: boolean;
}

const NOTHING: Beginning = { length: 0, open: "", isStart: true };

/**
 * Returns the beginning that two painted rows share, up to a place from which a row can be written. A mark that joins
 * the character before that place would join it twice, or stay.
 */
function sharedBeginning(before: string, after: string): Beginning {
  if (splitsCharacter(before) || splitsCharacter(after)) return NOTHING;
  const shared = longestBeginning(before, after);
  return joinsAt(before, shared.length) || joinsAt(after, shared.length) ? NOTHING : shared;
}

/** Returns true if the text of a painted row from a place begins with a mark that joins the character before it. */
function joinsAt(painted: string, from: number): boolean {
  return JOINING.test(textOfPainted(painted.slice(from)));
}

function longestBeginning(before: string, after: string): Beginning {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before.charCodeAt(same) === after.charCodeAt(same)) same += 1;
  let [at, open] = [0, ""];
  let best = NOTHING;
  while (at < same) {
    SEQUENCE.lastIndex = at;
    const [sequence] = SEQUENCE.exec(after) ?? [];
    if (sequence !== undefined) {
      if (at + sequence.length > same) break;
      at += sequence.length;
      open = sequence === RESET ? "" : `${open}${sequence}`;
      continue;
    }
    const end = after.indexOf("\u001b", at);
    const run = after.slice(at, end < 0 ? after.length : end);
    const shared = after.slice(at, Math.min(same, at + run.length));
    if (!isSimple(run) || !isSimple(nextRun(before, at))) return best;
    at += shared.length;
    best = { length: at, open, isStart: false };
    if (shared.length < run.length) break;
  }
  return best;
}

/** Returns the text of a painted row from a place up to its next sequence. */
function nextRun(painted: string, from: number): string {
  const end = painted.indexOf("\u001b", from);
  return painted.slice(from, end < 0 ? painted.length : end);
}
