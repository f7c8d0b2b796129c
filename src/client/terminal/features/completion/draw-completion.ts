import { cutBeginning, cutEnd, displayWidth } from "../../../../view/terminal/display-width.ts";
import type { DrawnRow } from "../../drawing/span.ts";
import { row, span } from "../../drawing/span.ts";
import type { CompletionEntry } from "./completion-entry.ts";

/** Rows of candidates on a large screen. */
const ROWS_MAX = 8;
const ROWS_MIN = 2;
/** Rows of the screen that stay for the rest: half of what is left over is for the list. */
const OTHER_ROWS = 8;
const POINTER_COLUMNS = 2;
const GAP = "  ";
/** Part of the width that names and their hints take at most, where descriptions stand beside them. */
const NAMES_PART = 0.5;
const DETAIL_COLUMNS_MIN = 10;

export interface DrawnCompletion {
  readonly entries: readonly CompletionEntry[];
  /** Index of the chosen entry; -1 while none is. */
  readonly at: number;
  /** True if there are more than these. */
  readonly hasMore: boolean;
  /** Words about the keys, behind the count. */
  readonly keys: string;
  readonly columns: number;
  /** Rows of the whole screen. */
  readonly screenRows: number;
}

/** Returns the rows of the list: the entries around the chosen one, and below them the count. */
export function drawCompletion(list: DrawnCompletion): readonly DrawnRow[] {
  const { entries, at, hasMore, keys, columns, screenRows } = list;
  const room = Math.max(ROWS_MIN, Math.min(ROWS_MAX, Math.floor((screenRows - OTHER_ROWS) / 2)));
  const top = Math.max(0, Math.min(Math.max(0, at) - Math.floor(room / 2), entries.length - room));
  const shown = entries.slice(top, top + room);
  const names = nameColumns(shown, columns);
  const rows = shown.map((entry, index) => entryRow(entry, { names, columns, isHere: top + index === at }));
  const place = at === -1 ? "" : `${at + 1}/`;
  const count = `${GAP}${place}${entries.length}${hasMore ? "+" : ""} · ${keys}`;
  return [...rows, row([span(cutEnd(count, columns), { role: "dim" })])];
}

function nameOf({ label, hint }: CompletionEntry): string {
  return hint === "" ? label : `${label} ${hint}`;
}

/** Returns the columns for names: all of them, if no description stands beside them. */
function nameColumns(shown: readonly CompletionEntry[], columns: number): number {
  const room = Math.max(1, columns - POINTER_COLUMNS);
  const widest = Math.max(...shown.map((entry) => displayWidth(nameOf(entry))));
  if (shown.every(({ detail }) => detail === "")) return Math.min(widest, room);
  return Math.min(widest, Math.max(Math.floor(columns * NAMES_PART), 1), room);
}

function entryRow(
  entry: CompletionEntry,
  { names, columns, isHere }: { readonly names: number; readonly columns: number; readonly isHere: boolean },
): DrawnRow {
  const { label, hint, detail, kind } = entry;
  const isPath = kind === "file" || kind === "folder";
  const name = isPath ? cutBeginning(label, names) : cutEnd(label, names);
  const rest = names - displayWidth(name);
  const words = hint === "" || rest < 3 ? "" : ` ${cutEnd(hint, rest - 1)}`;
  const gap = " ".repeat(Math.max(0, rest - displayWidth(words)));
  const room = columns - POINTER_COLUMNS - names - GAP.length;
  const shownDetail = detail === "" || room < DETAIL_COLUMNS_MIN ? "" : `${gap}${GAP}${cutEnd(detail, room)}`;
  return row(
    [
      span(isHere ? "▸ " : "  ", { role: "accent" }),
      span(name, { isBold: isHere }),
      span(words, { role: "dim" }),
      span(shownDetail, { role: "dim" }),
    ],
    isHere ? { fill: "selected" } : {},
  );
}
