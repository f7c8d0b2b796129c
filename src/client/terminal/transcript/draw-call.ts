import { durationText } from "../../../base/text/duration.ts";
import { count } from "../../../base/text/text.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import type { CallItem, CallState } from "../../../view/transcript/items.ts";
import type { DrawnRow, Role } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import type { DrawContext } from "./draw-context.ts";

/** Last lines of output that a folded call shows. */
const LAST_LINES = 5;
const INDENT = "  ";

const MARKS: Readonly<Record<CallState, readonly [mark: string, role: Role]>> = {
  asked: ["?", "warning"],
  running: ["◐", "accent"],
  done: ["●", "success"],
  failed: ["✗", "failure"],
  denied: ["✗", "warning"],
  cancelled: ["✗", "warning"],
  lost: ["✗", "warning"],
};

/** Returns the rows of a call: one line with its state, and the last lines of its output. */
export function drawCall(call: CallItem, context: DrawContext): readonly DrawnRow[] {
  const [mark, role] = MARKS[call.state];
  const { columns, unfolded } = context;
  const target = { event: call.event };
  const head = [
    span(`${mark} `, { role }),
    span(callSummary(call.tool, call.args)),
    span(timeOf(call, context), { role: "dim" }),
  ];
  const isUnfolded = unfolded.has("all") || unfolded.has(call.event);
  const output = call.state === "running" ? (call.progress?.tail ?? call.output) : call.output;
  const lines = output === "" ? [] : neutralise(output.replace(/\n+$/, "")).split("\n");
  const shown = isUnfolded ? lines : lines.slice(-LAST_LINES);
  const hidden = lines.length - shown.length;
  const more =
    hidden > 0
      ? [
          row([span(`${INDENT}… ${count(hidden, "line")} before`, { role: "dim" })], {
            margin: columns,
            target,
          }),
        ]
      : [];
  const body = shown.flatMap((line) =>
    wrapSpans([span(line, { role: "dim" })], { columns, first: [span(INDENT)], byWords: false }),
  );
  return [...wrapSpans(head, { columns, rest: [span(INDENT)] }), ...more, ...body].map((each) => ({
    ...each,
    target,
  }));
}

function timeOf({ state, ts, endedAt, progress }: CallItem, { nowMs }: DrawContext): string {
  if (state === "asked") return "  waits for an answer";
  const elapsedMs =
    progress?.elapsedMs ?? (endedAt === undefined ? nowMs : Date.parse(endedAt)) - Date.parse(ts);
  return elapsedMs < 1_000 ? "" : `  ${durationText(elapsedMs)}`;
}
