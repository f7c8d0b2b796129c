import { count } from "../../../base/text/text.ts";
import type { StatusFacts } from "../../../view/costs/status-facts.ts";
import { cutEnd, displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";

const LINE = "─";
const LEAD = 2;
/** Columns of the name of the client that began a turn. */
const CLIENT_COLUMNS = 40;

/** Facts for the line above the draft. */
export interface Activity {
  readonly facts: StatusFacts;
  readonly nowMs: number;
  /** Blocks that came below the window since it left the end; undefined while it is at the end. */
  readonly newBlocks: number | undefined;
  /** The client that began the turn, if it is another one. */
  readonly by?: string;
  /** Mode of the session; absent: unknown. */
  readonly mode?: string;
  /** Keys that go to the newest message, cancel the turn, and go to the next mode. */
  readonly endKey: string;
  readonly cancelKey: string;
  readonly modeKey: string;
}

/**
 * Returns the line above the draft: the sign of life of a turn with its time, the seconds until it tries a provider
 * again, who began it, and the key that cancels it; at the right the mode. A narrow terminal loses the key of the mode,
 * the client, the words about keys, then the mode.
 */
export function drawActivity(activity: Activity, columns: number): DrawnRow {
  const { mode, modeKey, by } = activity;
  const right = mode === undefined ? "" : ` ${mode} `;
  const withKey = mode === undefined ? "" : ` ${mode} · ${modeKey} `;
  const [full, alone, short] = [wordsOf(activity, by), wordsOf(activity), shortWords(activity)];
  const ways = [
    [full, withKey],
    [full, right],
    [alone, right],
    [short, right],
    [short, ""],
  ] as const;
  for (const [left, words] of ways) {
    const drawn = ruleOf(left, words, columns);
    if (drawn !== undefined) return drawn;
  }
  return row([span(LINE.repeat(columns), { role: "border" })]);
}

/** Returns the line with words at its left and right; undefined if they do not fit. */
function ruleOf(left: readonly Span[], right: string, columns: number): DrawnRow | undefined {
  const rightWidth = right === "" ? 0 : displayWidth(right) + LEAD;
  const leftWidth = left.reduce((sum, { text }) => sum + displayWidth(text), 0);
  const rest = columns - LEAD - leftWidth - rightWidth;
  if (rest < 0) return undefined;
  const line = (width: number) => span(LINE.repeat(width), { role: "border" });
  return row([
    line(LEAD),
    ...left,
    line(rest),
    ...(right === "" ? [] : [span(right, { role: "accent" }), line(LEAD)]),
  ]);
}

function wordsOf(activity: Activity, by?: string): readonly Span[] {
  const { newBlocks, endKey, cancelKey } = activity;
  const work = workText(activity);
  const client = by === undefined ? "" : ` · for ${cutEnd(by, CLIENT_COLUMNS)}`;
  return [
    ...(work === undefined ? [] : [span(` ${work}${client} · ${cancelKey} cancels `, { role: "accent" })]),
    ...(newBlocks === undefined ? [] : [span(` ↓ ${newText(newBlocks)}: ${endKey} `, { role: "warning" })]),
  ];
}

function shortWords(activity: Activity): readonly Span[] {
  const work = workText(activity);
  return [
    ...(work === undefined ? [] : [span(` ${work} `, { role: "accent" })]),
    ...(activity.newBlocks === undefined ? [] : [span(` ↓ ${activity.endKey} `, { role: "warning" })]),
  ];
}

/** Returns how long the turn has run, and how long it still waits before it tries again; undefined if none runs. */
function workText({ facts, nowMs }: Activity): string | undefined {
  const since = facts.turnSince;
  if (since === undefined) return undefined;
  const ran = `working ${timeText(Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1_000)))}`;
  const { retry } = facts;
  if (retry === undefined || nowMs >= retry.endMs) return ran;
  // The clock of another machine may be behind that of the engine: the wait is never longer than it was.
  const leftMs = Math.min(retry.endMs - nowMs, retry.lengthMs);
  return `${ran} · retrying in ${timeText(Math.ceil(leftMs / 1_000))}`;
}

function newText(blocks: number): string {
  return blocks === 0 ? "newest" : count(blocks, "new block");
}

function timeText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  return minutes < 60 ? `${minutes} min ${rest} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
