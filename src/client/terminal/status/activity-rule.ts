import { count } from "../../../base/text/text.ts";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { StatusFacts } from "./status-facts.ts";

const LINE = "─";
const LEAD = 2;

/** Facts for the line above the draft. */
export interface Activity {
  readonly facts: StatusFacts;
  readonly nowMs: number;
  /** Blocks that came below the window since it left the end; undefined while it is at the end. */
  readonly newBlocks: number | undefined;
  /** Key that goes to the newest message, and the one that cancels. */
  readonly endKey: string;
  readonly cancelKey: string;
}

/** Returns the line above the draft, with the sign of life of a turn: its time, and the key that cancels it. */
export function drawActivity(
  { facts, nowMs, newBlocks, endKey, cancelKey }: Activity,
  columns: number,
): DrawnRow {
  const since = facts.turnSince;
  const seconds = since === undefined ? 0 : Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1_000));
  const all: readonly Span[] = [
    ...(since === undefined
      ? []
      : [span(` working ${timeText(seconds)} · ${cancelKey} cancels `, { role: "accent" })]),
    ...(newBlocks === undefined ? [] : [span(` ↓ ${newText(newBlocks)}: ${endKey} `, { role: "warning" })]),
  ];
  const widthOf = (spans: readonly Span[]) => spans.reduce((sum, { text }) => sum + displayWidth(text), 0);
  // A narrow terminal keeps the last one.
  const words = [all, all.slice(-1)].find((each) => widthOf(each) + LEAD <= columns) ?? [];
  const width = widthOf(words);
  if (width === 0) return row([span(LINE.repeat(columns), { role: "border" })]);
  const rest = LINE.repeat(columns - LEAD - width);
  return row([span(LINE.repeat(LEAD), { role: "border" }), ...words, span(rest, { role: "border" })]);
}

function newText(blocks: number): string {
  return blocks === 0 ? "newest" : count(blocks, "new block");
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
