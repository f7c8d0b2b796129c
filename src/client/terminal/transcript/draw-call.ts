import { cutEnd, displayWidth } from "../../../view/terminal/display-width.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import type { CallItem, CallState } from "../../../view/transcript/items.ts";
import type { DrawnRow, Role } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import { wrapSpans } from "../drawing/wrap-spans.ts";
import { callBody } from "./draw-call-body.ts";
import { callResultWords, cancelText, decisionText, timeText } from "./draw-call-words.ts";
import type { DrawContext, DrawNested } from "./draw-context.ts";
import { agentRows } from "./draw-sub-agent.ts";

const INDENT = "  ";
/** Columns of the name of a call that are kept before its time and result are left out. */
const NAME_COLUMNS_MIN = 12;

const MARKS: Readonly<Record<CallState, readonly [mark: string, role: Role]>> = {
  asked: ["?", "warning"],
  running: ["◐", "accent"],
  done: ["●", "success"],
  failed: ["✗", "failure"],
  denied: ["✗", "warning"],
  cancelled: ["✗", "warning"],
  lost: ["✗", "warning"],
};

/**
 * Returns the rows of a call: one line with its state, who allowed or denied it, what it returned or changed, and what
 * its sub-agent does.
 */
export function drawCall(call: CallItem, context: DrawContext, drawNested: DrawNested): readonly DrawnRow[] {
  const { columns, unfolded } = context;
  const isUnfolded = unfolded.has(call.event);
  const role = call.state === "denied" || call.state === "cancelled" ? "warning" : "dim";
  const decided = [decisionText(call, context), cancelText(call, context)]
    .filter((text) => text !== undefined)
    .flatMap((text) => wrapSpans([span(text, { role })], { columns, first: [span(INDENT)] }));
  const rows = [
    ...headRows(call, context, isUnfolded),
    ...decided,
    ...agentRows(call, context, drawNested),
    ...callBody(call, context, isUnfolded),
  ];
  return rows.map((each) => ({ target: { event: call.event }, ...each }));
}

function headRows(call: CallItem, context: DrawContext, isUnfolded: boolean): readonly DrawnRow[] {
  const { columns } = context;
  const [mark, role] = MARKS[call.state];
  const { shell, tool, args } = call;
  const name = callSummary(shell === undefined ? tool : shell.toModel ? "!" : "!!", args);
  const facts = [timeText(call, context), callResultWords(call)].filter((each) => each !== "");
  const end = facts.map((each) => `  ${each}`).join("");
  const start = span(`${mark} `, { role });
  const ending = span(end, { role: call.state === "failed" ? "failure" : "dim" });
  if (isUnfolded) return wrapSpans([start, span(name), ending], { columns, rest: [span(INDENT)] });
  const room = columns - 2 - displayWidth(end);
  if (room >= Math.min(NAME_COLUMNS_MIN, displayWidth(name)))
    return [row([start, span(cutEnd(name, room)), ending])];
  return [row([start, span(cutEnd(name, columns - 2))])];
}
