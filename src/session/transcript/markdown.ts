import type { CallId, InputId } from "../../base/ids.ts";
import { isObject, stringAt } from "../../base/json.ts";
import { count, grouped, head, shortened } from "../../base/text.ts";
import { callSummary } from "../../client/kit/call-summary.ts";
import type { Cost } from "../../client/kit/cost.ts";
import { addCost, NO_COST, printPrice, printTokens, settledCost, sumOfCosts } from "../../client/kit/cost.ts";
import { endingText } from "../../client/kit/turn-record.ts";
import { deliveredInput } from "../../client/kit/waiting.ts";
import type { InputBlock, ResultContent } from "../../protocol/content.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/envelope.ts";
import type { PayloadOf } from "../../protocol/events.ts";
import type { LogInfo } from "../store.ts";
import { codeBlock, codeSpan, inHtml, quotation } from "./markdown-text.ts";

/** Of one argument or result this much is shown; the JSONL export has all of it. */
export const SHOWN_UNITS_MAX = 20_000;
const SUMMARY_UNITS_MAX = 100;

/**
 * A session as a document for people (SES-10): what was asked, answered and done, turn by turn, in pieces as they are
 * written.
 *
 * Whatever somebody else wrote stands in a quotation or a block of code, and nothing in it can end those or have an
 * effect: no HTML, no pictures from elsewhere, no character that cannot be seen.
 */
export async function* renderMarkdown(
  info: LogInfo,
  events: AsyncIterable<Envelope>,
): AsyncGenerator<string> {
  const document = new Transcript();
  yield headerOf(info);
  for await (const event of events) {
    const text = document.take(event);
    if (text !== "") yield text;
  }
  yield document.end();
}

function headerOf(info: LogInfo): string {
  const { title, branchOf } = info;
  const facts = [
    ["Session", codeSpan(info.session)],
    ["Log", codeSpan(info.logId)],
    ["Directory", codeSpan(info.workingDir)],
    ["Profile", codeSpan(info.profile)],
    ["Model", codeSpan(info.model)],
    ["Begun", timeText(info.createdAt)],
    ["Last turn", timeText(info.updatedAt)],
    ["Turns", grouped(info.turns)],
    ...(branchOf === undefined ? [] : [["Branch of", `${codeSpan(branchOf.logId)}, event ${branchOf.at}`]]),
  ];
  return [
    `# ${title === "" ? "A session without words" : codeSpan(title)}`,
    "",
    ...facts.map(([name, value]) => `- ${name}: ${value}`),
    "",
    "What stands in quotations and blocks of code was said by people, models and tools; the rest is cinch's.",
    "",
  ].join("\n");
}

type Call = Pick<PayloadOf<"ToolCallStarted">, "tool" | "args">;

/** Turns events into paragraphs, one after the other. */
class Transcript {
  readonly #calls = new Map<CallId, Call>();
  readonly #questions = new Map<string, string>();
  /** What was sent while a turn ran and has not begun: it is told where it begins. */
  readonly #waiting = new Map<InputId, string>();
  #text = "";
  #isInTurn = false;
  #turnCost = NO_COST;
  #total = NO_COST;

  take(event: Envelope): string {
    if (event.kind === "CostIncremented") {
      this.#turnCost = addCost(this.#turnCost, event.payload);
      return "";
    }
    if (event.parentCall !== undefined) return ""; // a sub-agent's: its result is told by the call that it belongs to
    if (event.kind === "TextDelta") {
      this.#text += event.payload.text;
      return "";
    }
    const paragraph = this.#paragraph(event);
    return paragraph === undefined ? "" : `${this.#answer()}${block(paragraph)}`;
  }

  end(): string {
    const open = [...this.#calls.values()].map((call) => block(callText(call, undefined))).join("");
    const waiting = [...this.#waiting.values()].map((text) => block(`*Sent, and never begun:*\n\n${text}`));
    const total = sumOfCosts(this.#total, this.#turnCost);
    const cost = total.calls === 0 ? "" : block(`---\n\nThe whole session: ${costText(total)}.`);
    return `${this.#answer()}${open}${waiting.join("")}${cost}`;
  }

  /** What the model has said up to here. */
  #answer(): string {
    const text = this.#text.trim();
    this.#text = "";
    return text === "" ? "" : block(`**Answer**\n\n${quotation(text)}`);
  }

  #paragraph(event: Envelope): string | undefined {
    switch (event.kind) {
      case "TurnStarted": {
        const { turn, content = [], inputId } = event.payload;
        if (inputId !== undefined) this.#waiting.delete(inputId);
        this.#betweenTurns();
        this.#isInTurn = true;
        return `## Turn ${turn} · ${timeText(event.ts)}\n\n**Asked**\n\n${quotation(inputText(content))}`;
      }
      case "TurnEnded":
        return this.#turnEnded(event.payload);
      case "ToolCallStarted": {
        const { callId, tool, args } = event.payload;
        this.#calls.set(callId, { tool, args });
        return ""; // what was said before it comes before it
      }
      case "ToolResult": {
        const call = this.#calls.get(event.payload.callId) ?? { tool: "a tool", args: {} };
        this.#calls.delete(event.payload.callId);
        return callText(call, event.payload);
      }
      case "PermissionAnswered":
        return permissionText(event.payload, this.#calls.get(event.payload.callId)?.tool);
      case "Asked":
        this.#questions.set(event.payload.askId, event.payload.text);
        return undefined;
      case "Answered": {
        const question = this.#questions.get(event.payload.askId);
        this.#questions.delete(event.payload.askId);
        return answeredText(question, event.payload.answer);
      }
      case "InputQueued":
        this.#waiting.set(event.payload.inputId, quotation(inputText(event.payload.content)));
        return undefined;
      case "InputWithdrawn":
        return this.#began(event.payload.inputId, "Sent meanwhile, and taken back before it began");
      case "Cancelled":
        return `*The turn was cancelled: ${codeSpan(event.payload.reason)}.*`;
      case "Error":
        return `*Error ${codeSpan(event.payload.reason)}:*\n\n${quotation(event.payload.message)}`;
      case "CompactionTriggered": {
        const { beforeTokens, afterTokens } = event.payload;
        const cost = this.#isInTurn ? NO_COST : this.#betweenTurns();
        const price = cost.calls === 0 ? "" : ` (${costText(cost)})`;
        return `*From here on the model sees what came before in a shorter form: ${grouped(afterTokens)} tokens instead of ${grouped(beforeTokens)}${price}.*`;
      }
      case "CheckpointMade": {
        const { files, notRestorable = [] } = event.payload;
        if (notRestorable.length === 0) return undefined;
        return `*Kept before the change: ${count(files, "file")}. Not kept: ${notRestorable.map(codeSpan).join(", ")}.*`;
      }
      case "MemoryWritten": {
        const { name, removed } = event.payload;
        return `*Memory ${codeSpan(name)} ${removed === true ? "removed" : "written"}.*`;
      }
      case "StreamGap":
        return `*Events ${event.payload.from} to ${event.payload.to} are gone (${event.payload.reason}).*`;
      case "ProfileSwitched":
        return `*Profile ${codeSpan(event.payload.to)} instead of ${codeSpan(event.payload.from)}.*`;
      case "HookTimeout":
      case "HookError":
        return `*The hook ${codeSpan(event.payload.command)} did not do its work (${codeSpan(event.payload.event)}).*`;
      case "MCPServerDown":
        return `*The MCP server ${codeSpan(event.payload.name)} is down: ${codeSpan(event.payload.reason)}.*`;
      case "TaskChanged":
        return `*Background task ${codeSpan(event.payload.what)}: ${event.payload.state}.*`;
      case "TodoChanged":
        return todoText(event.payload);
      case "SessionEnded":
        // That somebody left is no news to who reads it later.
        return ["idle", "error"].includes(event.payload.reason)
          ? `*The run ended (${event.payload.reason}).*`
          : undefined;
      case "CustomEvent": {
        const delivered = deliveredInput(event);
        if (delivered !== undefined) return this.#began(delivered, "Said to the model meanwhile");
        return customText(event);
      }
      default:
        return undefined;
    }
  }

  #began(input: InputId, how: string): string | undefined {
    const text = this.#waiting.get(input);
    this.#waiting.delete(input);
    return text === undefined ? undefined : `*${how}:*\n\n${text}`;
  }

  /** What was spent outside of turns since it was asked last, as on a summary: it belongs to none of them. */
  #betweenTurns(): Cost {
    const cost = this.#turnCost;
    this.#total = sumOfCosts(this.#total, cost);
    this.#turnCost = NO_COST;
    return cost;
  }

  #turnEnded({ reason, rounds = 0 }: PayloadOf<"TurnEnded">): string {
    const cost = settledCost(this.#turnCost, { reason, rounds });
    this.#total = sumOfCosts(this.#total, cost);
    this.#turnCost = NO_COST;
    this.#isInTurn = false;
    const open = [...this.#calls.values()].map((call) => `${callText(call, undefined)}\n\n`).join("");
    this.#calls.clear();
    const ending = endingText(reason);
    const facts = [
      count(rounds, "round"),
      ...(cost.calls === 0 ? [] : [costText(cost)]),
      ...(ending === undefined ? [] : [ending]),
    ];
    return `${open}*${facts.join(" · ")}*`;
  }
}

function block(paragraph: string): string {
  return paragraph === "" ? "" : `\n${paragraph}\n`;
}

function costText(cost: Cost): string {
  return `${printTokens(cost)}, ${printPrice(cost)}`;
}

/** "2026-03-01 10:00:00 UTC". */
function timeText(time: string): string {
  return `${time.slice(0, 19).replace("T", " ")} UTC`;
}

function inputText(content: readonly InputBlock[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("\n\n");
}

/** A call and its result, folded: the line that stands for it tells what it was and how it went. */
function callText({ tool, args }: Call, result: PayloadOf<"ToolResult"> | undefined): string {
  const summary = inHtml(shortened(callSummary(tool, args), SUMMARY_UNITS_MAX));
  const state = result === undefined ? "no result" : result.isError === true ? "failed" : "ok";
  return [
    "<details>",
    `<summary><code>${summary}</code> · ${state}</summary>`,
    "",
    argumentsText(args),
    ...(result === undefined ? [] : ["", resultText(result.content)]),
    "",
    "</details>",
  ].join("\n");
}

function argumentsText(args: unknown): string {
  const command = stringAt(args, "command");
  if (command !== undefined && isObject(args) && Object.keys(args).length === 1) {
    return limitedBlock(command, "sh");
  }
  return typeof args === "string"
    ? limitedBlock(args, "text")
    : limitedBlock(JSON.stringify(args, null, 2) ?? "", "json");
}

function resultText(content: readonly ResultContent[]): string {
  const text = content.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("\n");
  return text.trim() === "" ? "No output." : limitedBlock(text, "text");
}

function limitedBlock(text: string, language: string): string {
  const shown = head(text, SHOWN_UNITS_MAX);
  const left = text.length - shown.length;
  const more = left === 0 ? "" : `\n\n${grouped(left)} characters more are in the JSONL export.`;
  return `${codeBlock(shown, language)}${more}`;
}

function permissionText(
  answer: PayloadOf<"PermissionAnswered">,
  tool: string | undefined,
): string | undefined {
  if (!answer.counted) return undefined;
  const what = tool === undefined ? "A call" : codeSpan(tool);
  const rule = answer.rule === undefined ? "" : `, with the rule ${codeSpan(answer.rule)}`;
  const by = answer.by === undefined ? "Nobody answered in time, or a rule did" : "Somebody was asked";
  return `*${by}: ${what} was ${answer.decision === "allow" ? "allowed" : "denied"}${rule}.*`;
}

function answeredText(question: string | undefined, answer: unknown): string {
  const said = typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "");
  const told = answer === null ? "Nobody answered." : `The answer: ${codeSpan(said)}.`;
  return question === undefined ? `*${told}*` : `*Asked:*\n\n${quotation(question)}\n\n*${told}*`;
}

function todoText({ items }: PayloadOf<"TodoChanged">): string {
  if (items.length === 0) return "*The list of things to do is empty.*";
  const marks = { pending: " ", in_progress: ">", completed: "x" };
  const lines = items.map(({ content, status }) => `[${marks[status]}] ${content}`);
  return `*To do:*\n\n${codeBlock(lines.join("\n"), "text")}`;
}

function customText({ payload }: EnvelopeOf<"CustomEvent">): string | undefined {
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
