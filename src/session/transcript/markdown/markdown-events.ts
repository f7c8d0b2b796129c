import { isObject, stringAt } from "../../../base/json.ts";
import { count, grouped } from "../../../base/text/text.ts";
import type { InputBlock } from "../../../protocol/content.ts";
import type { EnvelopeOf } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { Cost } from "../../../view/costs/cost.ts";
import { printPrice, printTokens } from "../../../view/costs/cost.ts";
import { inputTexts } from "../../../view/input-text.ts";
import { codeBlock, codeSpan, renderQuotation } from "./markdown-text.ts";

export function renderCost(cost: Cost): string {
  return `${printTokens(cost)}, ${printPrice(cost)}`;
}

/** Renders a time: "2026-03-01 10:00:00 UTC". */
export function renderTime(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")} UTC`;
}

export function renderInput(content: readonly InputBlock[]): string {
  return inputTexts(content, (type) => `(${type})`).join("\n\n");
}

export function renderPermission(
  answer: PayloadOf<"PermissionAnswered">,
  tool: string | undefined,
): string | undefined {
  if (!answer.counted) return undefined;
  const what = tool === undefined ? "A call" : codeSpan(tool);
  const rule = answer.rule === undefined ? "" : `, with the rule ${codeSpan(answer.rule)}`;
  const by = answer.by === undefined ? "Nobody answered in time, or a rule did" : "Somebody was asked";
  return `*${by}: ${what} was ${answer.decision === "allow" ? "allowed" : "denied"}${rule}.*`;
}

export function renderAnswered(question: string | undefined, answer: unknown): string {
  const answerText = typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "");
  const sentence = answer === null ? "Nobody answered." : `The answer: ${codeSpan(answerText)}.`;
  return question === undefined
    ? `*${sentence}*`
    : `*Asked:*\n\n${renderQuotation(question)}\n\n*${sentence}*`;
}

export function renderTodos({ items }: PayloadOf<"TodoChanged">): string {
  if (items.length === 0) return "*The list of things to do is empty.*";
  const marks = { pending: " ", in_progress: ">", completed: "x" };
  const lines = items.map(({ content, status }) => `[${marks[status]}] ${content}`);
  return `*To do:*\n\n${codeBlock(lines.join("\n"), "text")}`;
}

export function renderCustomEvent({ payload }: EnvelopeOf<"CustomEvent">): string | undefined {
  if (payload.namespace !== "cinch") return undefined;
  switch (payload.kind) {
    case "Rewound": {
      const to: unknown = isObject(payload.payload) ? payload.payload["to"] : undefined;
      const what = stringAt(payload.payload, "what") ?? "it";
      return `*Somebody set ${codeSpan(what)} back to event ${typeof to === "number" ? to : "unknown"}: what stands between is gone for the model.*`;
    }
    case "EventMissing":
      return "*An event is missing here.*";
    case "EventUnreadable":
      return "*An event that stood here cannot be read any more.*";
    case "Imported":
      return "*Here this log was imported; what stands above happened elsewhere.*";
    default:
      return undefined;
  }
}

export function renderCompaction(
  { beforeTokens, afterTokens }: PayloadOf<"CompactionTriggered">,
  cost: Cost,
): string {
  const price = cost.calls === 0 ? "" : ` (${renderCost(cost)})`;
  return `*From here on the model sees what came before in a shorter form: ${grouped(afterTokens)} tokens instead of ${grouped(beforeTokens)}${price}.*`;
}

/** Renders the part of the workspace that could not be saved; undefined if all of it was. */
export function renderCheckpoint({
  files,
  notRestorable = [],
}: PayloadOf<"CheckpointMade">): string | undefined {
  if (notRestorable.length === 0) return undefined;
  return `*Kept before the change: ${count(files, "file")}. Not kept: ${notRestorable.map(codeSpan).join(", ")}.*`;
}
