import type { CallId, InputId } from "../../../base/ids.ts";
import { count, grouped } from "../../../base/text/text.ts";
import type { Envelope, EnvelopeOf } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { Cost } from "../../../view/costs/cost.ts";
import { NO_COST, sumOfCosts } from "../../../view/costs/cost.ts";
import { addTurnCost, NO_TURN_COSTS } from "../../../view/costs/turn-costs.ts";
import { isShellEvent, severityOf } from "../../../view/event-facts.ts";
import { endingText } from "../../../view/texts/ending-text.ts";
import { gapText } from "../../../view/texts/notice-text.ts";
import { deliveredInput } from "../../../view/turn-result.ts";
import type { LogInfo } from "../../store/store.ts";
import type { StartedCall } from "./markdown-call.ts";
import { renderCall } from "./markdown-call.ts";
import {
  renderAnswered,
  renderCheckpoint,
  renderCompaction,
  renderCost,
  renderCustomEvent,
  renderInput,
  renderPermission,
  renderTime,
  renderTodos,
} from "./markdown-events.ts";
import { codeSpan, renderQuotation } from "./markdown-text.ts";

/**
 * Renders a session as a document for people (SES-10): prompts, answers and calls, turn by turn, in pieces.
 *
 * All untrusted text stands in a quotation or a block of code, and nothing in it can end those or have an effect: no
 * HTML, no pictures from elsewhere, no invisible character.
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
    ["Begun", renderTime(info.createdAt)],
    ["Last turn", renderTime(info.updatedAt)],
    ["Turns", grouped(info.turns)],
    ...(branchOf === undefined ? [] : [originOf(branchOf)]),
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

/**
 * Renders the origin of a log. A task, or another profile's session, took no events over: it was only started
 * from there.
 */
function originOf({ logId, at }: NonNullable<LogInfo["branchOf"]>): readonly [string, string] {
  return at === 1 ? ["Came of", codeSpan(logId)] : ["Branch of", `${codeSpan(logId)}, event ${at}`];
}

/** Turns events into paragraphs, one after the other. */
class Transcript {
  readonly #calls = new Map<CallId, StartedCall>();
  /** Commands of people: they belong to no turn, and end beyond one. */
  readonly #shellCalls = new Set<CallId>();
  readonly #questions = new Map<string, string>();
  /** Inputs that were sent while a turn ran and have not started: they are rendered where they start. */
  readonly #waiting = new Map<InputId, string>();
  #text = "";
  #isInTurn = false;
  #turnCosts = NO_TURN_COSTS;
  #total = NO_COST;

  take(event: Envelope): string {
    this.#turnCosts = addTurnCost(this.#turnCosts, event);
    if (event.kind === "CostIncremented") return "";
    if (event.parentCall !== undefined) return ""; // of a sub-agent: the result of its call reports it
    if (event.kind === "TextDelta") {
      this.#text += event.payload.text;
      return "";
    }
    const paragraph = this.#paragraph(event);
    return paragraph === undefined ? "" : `${this.#answer()}${block(paragraph)}`;
  }

  end(): string {
    const open = [...this.#calls.values()].map((call) => block(renderCall(call, undefined))).join("");
    const waiting = [...this.#waiting.values()].map((text) => block(`*Sent, and never begun:*\n\n${text}`));
    const total = sumOfCosts(this.#total, this.#turnCosts.total);
    const cost = total.calls === 0 ? "" : block(`---\n\nThe whole session: ${renderCost(total)}.`);
    return `${this.#answer()}${open}${waiting.join("")}${cost}`;
  }

  /** Returns the model's text up to here. */
  #answer(): string {
    const text = this.#text.trim();
    this.#text = "";
    return text === "" ? "" : block(`**Answer**\n\n${renderQuotation(text)}`);
  }

  #paragraph(event: Envelope): string | undefined {
    switch (event.kind) {
      case "TurnStarted": {
        const { turn, content = [], inputId } = event.payload;
        if (inputId !== undefined) this.#waiting.delete(inputId);
        this.#betweenTurns();
        this.#isInTurn = true;
        return `## Turn ${turn} · ${renderTime(event.ts)}\n\n**Asked**\n\n${renderQuotation(renderInput(content))}`;
      }
      case "TurnEnded":
        return this.#turnEnded(event.payload);
      case "ToolCallStarted":
        return this.#callStarted(event);
      case "ToolResult":
        return this.#callEnded(event.payload);
      case "PermissionAnswered":
        return renderPermission(event.payload, this.#calls.get(event.payload.callId)?.tool);
      case "Asked":
        this.#questions.set(event.payload.askId, event.payload.text);
        return undefined;
      case "Answered": {
        const question = this.#questions.get(event.payload.askId);
        this.#questions.delete(event.payload.askId);
        return renderAnswered(question, event.payload.answer);
      }
      case "InputQueued":
      case "InputEdited":
        this.#waiting.set(event.payload.inputId, renderQuotation(renderInput(event.payload.content)));
        return undefined;
      case "InputWithdrawn":
        return this.#began(event.payload.inputId, "Sent meanwhile, and taken back before it began");
      case "Cancelled":
        return `*The turn was cancelled: ${codeSpan(event.payload.reason)}.*`;
      case "Error":
        return `*${severityOf(event.payload) === "note" ? "Notice" : "Error"} ${codeSpan(event.payload.reason)}:*\n\n${renderQuotation(event.payload.message)}`;
      case "CompactionTriggered": {
        const cost = this.#isInTurn ? NO_COST : this.#betweenTurns();
        return renderCompaction(event.payload, cost);
      }
      case "CheckpointMade":
        return renderCheckpoint(event.payload);
      case "MemoryWritten": {
        const { name, removed } = event.payload;
        return `*Memory ${codeSpan(name)} ${removed === true ? "removed" : "written"}.*`;
      }
      case "StreamGap": {
        const text = gapText(event.payload);
        return `*${text.charAt(0).toUpperCase()}${text.slice(1)}.*`;
      }
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
        return renderTodos(event.payload);
      case "SessionEnded":
        // That a client left is no news to a later reader.
        return ["idle", "error"].includes(event.payload.reason)
          ? `*The run ended (${event.payload.reason}).*`
          : undefined;
      case "CustomEvent": {
        const delivered = deliveredInput(event);
        if (delivered !== undefined) return this.#began(delivered, "Said to the model meanwhile");
        return renderCustomEvent(event);
      }
      default:
        return undefined;
    }
  }

  /** Earlier text comes before a call. */
  #callStarted(event: EnvelopeOf<"ToolCallStarted">): string {
    const { callId, tool, args } = event.payload;
    this.#calls.set(callId, { tool, args });
    if (isShellEvent(event)) this.#shellCalls.add(callId);
    return "";
  }

  #callEnded(result: PayloadOf<"ToolResult">): string {
    const call = this.#calls.get(result.callId) ?? { tool: "a tool", args: {} };
    this.#calls.delete(result.callId);
    this.#shellCalls.delete(result.callId);
    return renderCall(call, result);
  }

  #began(input: InputId, how: string): string | undefined {
    const text = this.#waiting.get(input);
    this.#waiting.delete(input);
    return text === undefined ? undefined : `*${how}:*\n\n${text}`;
  }

  /** Returns the cost outside of turns since the last call, as of a summary: it belongs to none of them. */
  #betweenTurns(): Cost {
    const { total: cost } = this.#turnCosts;
    this.#total = sumOfCosts(this.#total, cost);
    this.#turnCosts = NO_TURN_COSTS;
    return cost;
  }

  #turnEnded({ reason, rounds = 0 }: PayloadOf<"TurnEnded">): string {
    const cost = this.#betweenTurns();
    this.#isInTurn = false;
    const open = [...this.#calls].filter(([id]) => !this.#shellCalls.has(id));
    for (const [id] of open) this.#calls.delete(id);
    const cut = open.map(([, call]) => `${renderCall(call, undefined)}\n\n`).join("");
    const ending = endingText(reason);
    const facts = [
      count(rounds, "round"),
      ...(cost.calls === 0 ? [] : [renderCost(cost)]),
      ...(ending === undefined ? [] : [ending]),
    ];
    return `${cut}*${facts.join(" · ")}*`;
  }
}

function block(paragraph: string): string {
  return paragraph === "" ? "" : `\n${paragraph}\n`;
}
