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
  /** True while messages below the window are not seen. */
  readonly isAway: boolean;
  /** Key that goes to the newest message, and the one that cancels. */
  readonly endKey: string;
  readonly cancelKey: string;
}

/** Returns the line above the draft, with the sign of life of a turn: its time, and the key that cancels it. */
export function drawActivity(
  { facts, nowMs, isAway, endKey, cancelKey }: Activity,
  columns: number,
): DrawnRow {
  const since = facts.turnSince;
  const seconds = since === undefined ? 0 : Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1_000));
  const words: readonly Span[] = [
    ...(since === undefined
      ? []
      : [span(` working ${timeText(seconds)} · ${cancelKey} cancels `, { role: "accent" })]),
    ...(isAway ? [span(` ↓ newer messages: ${endKey} `, { role: "warning" })] : []),
  ];
  const width = words.reduce((sum, { text }) => sum + displayWidth(text), 0);
  if (width === 0 || width + LEAD > columns) return row([span(LINE.repeat(columns), { role: "border" })]);
  const rest = LINE.repeat(columns - LEAD - width);
  return row([span(LINE.repeat(LEAD), { role: "border" }), ...words, span(rest, { role: "border" })]);
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
