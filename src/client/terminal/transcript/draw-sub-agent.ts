import { count } from "../../../base/text/text.ts";
import { printPrice } from "../../../view/costs/cost.ts";
import { cutEnd } from "../../../view/terminal/display-width.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import { endingText } from "../../../view/texts/ending-text.ts";
import type { CallItem, TranscriptItem } from "../../../view/transcript/items.ts";
import { lastLineOf } from "../../../view/transcript/streamed-text.ts";
import type { DrawnRow } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { DrawContext, DrawNested } from "./draw-context.ts";

const BAR = "  │ ";
/** Columns below which nested items get no indent: nothing would be left for their text. */
const COLUMNS_MIN = 16;
/** Characters of the last activity that are read; what does not fit into its row is cut. */
const ACTIVITY_CHARACTERS_MAX = 1_000;

/** Returns the rows of the sub-agent of a call: its last activity, count of calls and cost; unfolded: all its items. */
export function agentRows(call: CallItem, context: DrawContext, drawNested: DrawNested): readonly DrawnRow[] {
  const agent = context.subAgents?.get(call.callId);
  if (call.items.length === 0 && agent === undefined) return [];
  const { columns, unfolded } = context;
  const calls = call.items.filter(({ kind }) => kind === "call").length;
  const left = call.itemsLeftOut === undefined ? [] : [`${count(call.itemsLeftOut, "older item")} left out`];
  const ended = agent?.ended === undefined ? undefined : endingText(agent.ended);
  const facts = [
    count(calls, "call"),
    ...(agent === undefined ? [] : [printPrice(agent.cost)]),
    ...(ended === undefined ? [] : [ended]),
    ...left,
  ].join(" · ");
  const line = (text: string) =>
    row([span(cutEnd(`${BAR}${text}`, columns), { role: "dim" })], { margin: columns });
  if (!unfolded.has(call.event)) {
    const last = call.state === "running" ? lastActivity(call.items) : "";
    return [line(facts), ...(last === "" ? [] : [line(last)])];
  }
  const bar = columns < COLUMNS_MIN ? [] : [span(BAR, { role: "border" })];
  const width = bar.length === 0 ? 0 : BAR.length;
  const rows = drawNested(call.items, { ...context, columns: columns - width });
  return [
    line(facts),
    ...rows.map((each) => ({
      ...each,
      spans: [...bar, ...each.spans],
      margin: (each.margin ?? 0) + width,
    })),
  ];
}

function lastActivity(items: readonly TranscriptItem[]): string {
  const last = items.at(-1);
  switch (last?.kind) {
    case "call":
      return callSummary(last.tool, last.args);
    case "text":
    case "thinking":
      return neutraliseLine(lastLineOf(last.streamed).slice(0, ACTIVITY_CHARACTERS_MAX));
    case "note":
      return neutraliseLine(last.text);
    default:
      return "";
  }
}
