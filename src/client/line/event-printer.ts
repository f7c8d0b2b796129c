import { unreachable } from "../../base/assert.ts";
import type { AskId, CallId, ClientId, EventSeq, InputId, SessionId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import { reasonText } from "../../base/reasons.ts";
import { count, grouped, shortened } from "../../base/text.ts";
import type { InputBlock, ResultContent } from "../../protocol/content.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/envelope.ts";
import type { PayloadOf } from "../../protocol/events.ts";
import { callSummary } from "../kit/call-summary.ts";
import { neutralise, neutraliseLine, TerminalText } from "../kit/terminal-text.ts";
import { endingText } from "../kit/turn-record.ts";
import type { WaitingInput } from "../kit/waiting.ts";
import { deliveredInput, waitingAfter } from "../kit/waiting.ts";
import { givenMemories } from "./memory-watch.ts";
import { heldText, inputLine, queuedText } from "./waiting-text.ts";

const RESULT_LINE_CHARACTERS_MAX = 160;
const NANOSECONDS_PER_SECOND = 1e9;

export interface PrinterOptions {
  /** The client that watches; its own input is not printed again. */
  readonly client: ClientId;
  /** False where the answer goes elsewhere and only what happens is to be told. */
  readonly answers: boolean;
  /** The run that is watched: what an earlier run of its log was asked, the person who goes on with it asked. */
  readonly session?: SessionId;
}

/**
 * Turns events into the lines that a person reads: streamed text as it comes, one line for a tool call and one for
 * its result, one for everything else worth telling. Everything foreign in them has been made safe (TUI-07).
 */
export class EventPrinter {
  readonly #options: PrinterOptions;
  readonly #text = new TerminalText();
  readonly #tools = new Map<CallId, string>();
  readonly #files = new Map<AskId, string>();
  /** Calls that the person at this client denied: what is said of them to others is no news here. */
  readonly #denied = new Set<CallId>();
  /** The turns by the events that they began with. */
  readonly #starts = new Map<EventSeq, number>();
  #midLine = false;
  #waiting: readonly WaitingInput[] = [];
  /** What was told last of files that cannot be set back. */
  #unkeptText: string | undefined;

  constructor(options: PrinterOptions) {
    this.#options = options;
  }

  /** What to print for this event; empty for those that are not shown. */
  print(envelope: Envelope): string {
    if (envelope.parentCall !== undefined) return this.#subAgent(envelope);
    if (envelope.kind === "TextDelta") return this.#delta(envelope.payload.text);
    if (envelope.kind === "TurnEnded") return this.#turnEnd(envelope);
    if (envelope.kind === "SessionEnded" && this.#isEarlier(envelope)) return this.#lineEnd(); // what goes on has not ended
    if (envelope.kind === "TurnStarted") this.#starts.set(envelope.id, envelope.payload.turn);
    const before = this.#waiting;
    this.#waiting = waitingAfter(before, envelope);
    const lines = this.#lines(envelope, before);
    return lines === undefined ? "" : this.line(lines);
  }

  /** The inputs that wait, in order, as far as they were seen. */
  get waiting(): readonly WaitingInput[] {
    return this.#waiting;
  }

  /** A text of our own on lines of its own, after whatever stands unfinished. */
  line(text: string): string {
    const unfinished = this.#text.end();
    const midLine = unfinished === "" ? this.#midLine : !unfinished.endsWith("\n");
    this.#midLine = false;
    return `${unfinished}${midLine ? "\n" : ""}${text}\n`;
  }

  #delta(text: string): string {
    if (!this.#options.answers) return "";
    const shown = this.#text.push(text);
    if (shown !== "") this.#midLine = !shown.endsWith("\n");
    return shown;
  }

  /** How a turn of an earlier run ended, where that is worth telling: nobody else tells it. */
  #turnEnd(envelope: EnvelopeOf<"TurnEnded">): string {
    const ending = this.#isEarlier(envelope) ? endingText(envelope.payload.reason) : undefined;
    return ending === undefined ? this.#lineEnd() : this.line(`-- ${ending}`);
  }

  /** Ends the line that stands unfinished, where one does: a prompt can be seen only after a whole line. */
  #lineEnd(): string {
    return this.line("").slice(0, -1);
  }

  #subAgent(envelope: Envelope): string {
    switch (envelope.kind) {
      case "ToolCallStarted":
        return this.line(`  sub-agent: ${callSummary(envelope.payload.tool, envelope.payload.args)}`);
      case "Error":
        return this.line(`  sub-agent: error: ${neutraliseLine(envelope.payload.message)}`);
      default:
        return "";
    }
  }

  #lines(envelope: Envelope, waited: readonly WaitingInput[]): string | undefined {
    switch (envelope.kind) {
      case "ToolCallStarted": {
        const { callId, tool, args } = envelope.payload;
        this.#tools.set(callId, tool);
        return `* ${callSummary(tool, args)}`;
      }
      case "ToolResult":
        return this.#result(envelope.payload);
      case "TurnStarted": {
        const { originator, content, inputId } = envelope.payload;
        if (content === undefined) return undefined;
        if (originator === this.#options.client)
          return inputId === undefined ? undefined : `now: ${inputLine(content)}`;
        const asker = this.#isEarlier(envelope) ? "you asked" : `${neutraliseLine(originator)} asks`;
        return `${asker}:\n${quote(inputText(content))}`;
      }
      case "InputQueued":
        if (this.#isEarlier(envelope)) return undefined; // it has begun since, or what still waits is listed
        return queuedText(this.#waiting, this.#whoWaits(envelope.payload.originator));
      case "InputWithdrawn":
        return withdrawnText(waited, envelope.payload.inputId);
      case "Cancelled":
        if (this.#isEarlier(envelope)) return undefined; // the end of its turn tells it
        return `cancelled by ${who(envelope.payload.by, this.#options.client)}`;
      case "Error":
        if (this.#denied.has(envelope.payload.details?.["callId"] as CallId)) return undefined;
        return `error: ${neutralise(envelope.payload.message)}`;
      case "CompactionTriggered":
        return compactionText(envelope.payload);
      case "StreamGap":
        return `events ${envelope.payload.from} to ${envelope.payload.to} are gone (${envelope.payload.reason})`;
      case "TokenExpiring":
        return `the capability token ${envelope.payload.jti} expires soon`;
      case "HookTimeout":
      case "HookError":
        return hookText(envelope);
      case "MCPServerDown":
        return `MCP server ${neutraliseLine(envelope.payload.name)} is down: ${neutraliseLine(envelope.payload.reason)}`;
      case "SkillRegistryChanged":
        return `skills now: ${envelope.payload.skills.map(neutraliseLine).join(", ")}`;
      case "SessionEnded":
        return `the session has ended (${envelope.payload.reason})`;
      case "PermissionAnswered":
        this.#followAnswer(envelope.payload);
        return answeredText(envelope.payload, this.#options.client);
      case "TaskChanged":
        return `background task ${neutraliseLine(envelope.payload.what)}: ${envelope.payload.state}`;
      case "TodoChanged":
        return envelope.payload.items.map(todoLine).join("\n") || "the list of things to do is empty";
      case "MemoryWritten": {
        const { name, type, description, removed } = envelope.payload;
        const [what, said] = [removed === true ? "removed" : "written", neutraliseLine(description)];
        return `memory ${neutraliseLine(name)} ${what} (${neutraliseLine(type)}): ${said}`;
      }
      case "Asked":
        if (envelope.payload.about === "trust")
          this.#files.set(envelope.payload.askId, pathOf(envelope.payload));
        return undefined;
      case "Answered":
        return this.#trusted(envelope.payload);
      case "ProfileSwitched":
        return `profile ${neutraliseLine(envelope.payload.to)} instead of ${neutraliseLine(envelope.payload.from)}`;
      case "CustomEvent":
        return this.#custom(envelope, waited);
      case "CheckpointMade":
        return this.#unkept(envelope.payload);
      case "CostIncremented":
      case "PermissionRequested":
      case "TextDelta":
      case "ThinkingDelta":
      case "ToolCallProgress":
      case "TurnTiming":
      case "TurnEnded":
        return undefined;
      default:
        return unreachable(envelope);
    }
  }

  /** What cannot be set back: told once, and when it is something else. */
  #unkept({ notRestorable = [] }: PayloadOf<"CheckpointMade">): string | undefined {
    const before = this.#unkeptText;
    this.#unkeptText = notRestorable.length === 0 ? undefined : unkeptText(notRestorable);
    return this.#unkeptText === before ? undefined : this.#unkeptText;
  }

  #whoWaits(originator: ClientId): string {
    return originator === this.#options.client ? "waiting" : `${neutraliseLine(originator)} waits`;
  }

  #custom(envelope: EnvelopeOf<"CustomEvent">, waited: readonly WaitingInput[]): string | undefined {
    if (envelope.payload.kind === "Rewound" && envelope.payload.namespace === "cinch")
      return this.#isEarlier(envelope) ? this.#rewound(envelope.payload.payload) : undefined;
    const given = givenMemories(envelope);
    if (given.length > 0) return `memories for the model: ${given.map(neutraliseLine).join(", ")}`;
    const delivered = deliveredInput(envelope);
    const entered = waited.find(({ inputId }) => inputId === delivered);
    if (entered !== undefined) return `now told to the model: ${inputLine(entered.content)}`;
    const heldBefore = waited.filter(({ held }) => held).length;
    const held = this.#waiting.filter((input) => input.held).length;
    return held > heldBefore ? heldText(this.#waiting) : undefined;
  }

  /** That somebody went back, as who comes later reads it: what stands above may not count any more. */
  #rewound(payload: unknown): string {
    const { to, what } = isObject(payload) ? payload : {};
    const set = what === "conversation" || what === "files" ? `the ${what}` : "conversation and files";
    const turn = this.#starts.get(Number(to));
    const place = turn === undefined ? `event ${Number(to)}` : `right before turn ${turn}`;
    const forgets = what === "files" ? "" : ": the model knows nothing of what came after";
    return `-- ${set} went back to ${to === 0 ? "the beginning" : place}${forgets}`;
  }

  #followAnswer({ callId, decision, counted, by }: PayloadOf<"PermissionAnswered">): void {
    if (counted && decision === "deny" && by === this.#options.client) this.#denied.add(callId);
  }

  /** What became of a file of the project that was asked about. */
  #trusted({ askId, answer }: PayloadOf<"Answered">): string | undefined {
    const path = this.#files.get(askId);
    this.#files.delete(askId);
    if (path === undefined) return answer === null ? "  nobody answered in time" : undefined;
    if (answer === "approve") return `  ${path}: acknowledged`;
    return `  ${path}: left out of this session${answer === null ? ", since nobody answered" : ""}`;
  }

  /** What an earlier run of the same log said. */
  #isEarlier({ session }: Envelope): boolean {
    return this.#options.session !== undefined && session !== this.#options.session;
  }

  #result({ callId, content, isError }: PayloadOf<"ToolResult">): string {
    const tool = this.#tools.get(callId);
    this.#tools.delete(callId);
    const text = resultText(content);
    if (this.#denied.delete(callId))
      return `  ${tool === undefined ? "" : `${neutraliseLine(tool)} `}did not run: you denied it`;
    const state = isError === true ? "failed" : "ok";
    const detail = isError === true ? (firstLine(text) ?? "") : sizeOf(text, content);
    const label = tool === undefined ? "" : `${neutraliseLine(tool)} `;
    return `  ${label}${state}${detail === "" ? "" : `: ${detail}`}`;
  }
}

function withdrawnText(waited: readonly WaitingInput[], id: InputId): string {
  const input = waited.find(({ inputId }) => inputId === id);
  return input === undefined ? "a waiting input was withdrawn" : `withdrawn: ${inputLine(input.content)}`;
}

/** A hook that did not do its work, in one line: which, when, and why. */
function hookText(envelope: EnvelopeOf<"HookTimeout"> | EnvelopeOf<"HookError">): string {
  const { event, command } = envelope.payload;
  const cmd = shortened(neutraliseLine(command), RESULT_LINE_CHARACTERS_MAX);
  if (envelope.kind === "HookTimeout") {
    const timeout = String(envelope.payload.after / NANOSECONDS_PER_SECOND);
    return reasonText("HookTimeout", { event: neutraliseLine(event), cmd, timeout });
  }
  const { exit_code: code, output = "" } = envelope.payload;
  const said = firstLine(output);
  const ending = code === 0 ? "" : ` with exit code ${code}`;
  return `hook '${neutraliseLine(event)}' command '${cmd}' failed${ending}${said === undefined ? "" : `: ${said}`}`;
}

function pathOf({ details }: PayloadOf<"Asked">): string {
  const path = details?.["path"];
  return typeof path === "string" ? neutraliseLine(path) : "a file of the project";
}

/** Foreign lines with a mark before each, so that they cannot pass for lines of ours. */
export function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `| ${line}`)
    .join("\n");
}

function inputText(content: readonly InputBlock[]): string {
  return content
    .map((block) => (block.type === "text" ? neutralise(block.text) : `[${block.type}]`))
    .join("\n");
}

function resultText(content: readonly ResultContent[]): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

function sizeOf(text: string, content: readonly ResultContent[]): string {
  if (content.length === 0 || text.trim() === "") return "no output";
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines === 1 ? (firstLine(text) ?? "") : count(lines, "line");
}

function firstLine(text: string): string | undefined {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "");
  if (line === undefined) return undefined;
  return shortened(neutraliseLine(line.trim()), RESULT_LINE_CHARACTERS_MAX);
}

function answeredText(answer: PayloadOf<"PermissionAnswered">, client: ClientId): string {
  const by = answer.by === undefined ? "" : ` by ${who(answer.by, client)}`;
  const rule = answer.rule === undefined ? "" : ` (${neutraliseLine(answer.rule)})`;
  if (!answer.counted) return `a later answer${by} came after the first and did not count`;
  return answer.decision === "allow" ? `  allowed${by}${rule}` : `  denied${by}`;
}

function who(id: string, client: ClientId): string {
  return id === client ? "you" : neutraliseLine(id);
}

function todoLine(item: PayloadOf<"TodoChanged">["items"][number]): string {
  const mark = { pending: "[ ]", in_progress: "[>]", completed: "[x]" }[item.status];
  return `  ${mark} ${neutraliseLine(item.content)}`;
}

const UNKEPT_SHOWN_MAX = 3;

function unkeptText(paths: readonly string[]): string {
  if (paths.includes(".")) return "what commands change in this folder cannot be set back";
  const shown = paths.slice(0, UNKEPT_SHOWN_MAX).map((path) => shortened(neutraliseLine(path), 60));
  const rest =
    paths.length > UNKEPT_SHOWN_MAX ? ` and ${count(paths.length - UNKEPT_SHOWN_MAX, "other")}` : "";
  return `cannot be set back: ${shown.join(", ")}${rest}`;
}

const COMPACTED = {
  1: "long results of earlier calls were set aside",
  2: "earlier turns became a summary",
  3: "earlier turns became a summary from the log",
} as const;

function compactionText({ beforeTokens, afterTokens, tier }: PayloadOf<"CompactionTriggered">): string {
  const what = COMPACTED[tier === 1 || tier === 3 ? tier : 2];
  return `the conversation was made shorter: ${what}, ${grouped(beforeTokens)} → ${grouped(afterTokens)} tokens`;
}
