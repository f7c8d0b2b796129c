import { unreachable } from "../../../base/assert.ts";
import type { CallId, ClientId, EventSeq, InputId, SessionId } from "../../../base/ids.ts";
import type { Envelope, EnvelopeOf } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { questionId } from "../../../view/questions/questions.ts";
import type { OpenCalls } from "../../../view/session/calls.ts";
import { NO_CALLS } from "../../../view/session/calls.ts";
import { givenMemories } from "../../../view/session/memories.ts";
import { planModeOf } from "../../../view/session/plan-mode.ts";
import type { SessionView } from "../../../view/session/session-view.ts";
import { NEW_SESSION, sessionAfter } from "../../../view/session/session-view.ts";
import type { WaitingInput } from "../../../view/session/waiting.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { wrapWords } from "../../../view/terminal/wrap.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import { endingText } from "../../../view/texts/ending-text.ts";
import { modelText } from "../../../view/texts/model-text.ts";
import { noticeText, severityOf } from "../../../view/texts/notice-text.ts";
import { switchedText } from "../../../view/texts/switched-text.ts";
import { deliveredInput } from "../../../view/turn-result.ts";
import { skillText } from "../commands/skills.ts";
import { CallLines } from "./call-lines.ts";
import {
  agentText,
  answeredText,
  compactionText,
  memoryText,
  rewoundText,
  todoText,
  unkeptText,
  who,
  withdrawnText,
} from "./event-text.ts";
import { quoteInput } from "./quote.ts";
import { StreamedLines } from "./streamed-lines.ts";
import { heldText, inputLine, queuedText } from "./waiting-text.ts";

export interface PrinterOptions {
  /** The client that watches; its own input is not printed again. It is another one where the engine was started anew. */
  readonly client: () => ClientId;
  /** False where the answer goes elsewhere and only what happens is to be told. */
  readonly answers: boolean;
  /** The run that is watched: what an earlier run of its log was asked, the person who goes on with it asked. */
  readonly session?: () => SessionId;
  /** The last event of the past of that run, which is told like an earlier run. */
  readonly past?: EventSeq;
  /** Whether a call is denied here because nobody is left to answer. */
  readonly isUnanswered?: (callId: CallId) => boolean;
  /** Whether what can wait waits for the end of a line of streamed text. */
  readonly holdsNotices?: boolean;
  /** Returns the width of the terminal. Lines of our own are then wrapped by words; without it they are not. */
  readonly columns?: () => number | undefined;
}

/** Lines about calls stay one line each: what ran is shown as it stands. */
const CALLS: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>(["ToolCallStarted", "ToolResult"]);

/** The next piece of text belongs to another message. */
const ENDS_TEXT: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>([
  "ToolCallStarted",
  "ToolResult",
  "TurnStarted",
  "TurnEnded",
]);

const NO_ANSWER = "no answer has come, and nobody is there to give one";

/** What happens beside a turn, at any moment of it: it may wait for the end of a line. */
const BESIDE: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>([
  "InputQueued",
  "InputWithdrawn",
  "CustomEvent",
  "HookTimeout",
  "HookError",
  "MCPServerDown",
  "SkillRegistryChanged",
  "TaskChanged",
  "TokenExpiring",
]);

/**
 * Turns events into the lines that a person reads: streamed text as it comes, one line for a tool call and one for
 * its result, one for everything else worth telling. Everything foreign in them has been made safe (TUI-07).
 */
export class EventPrinter {
  readonly #options: PrinterOptions;
  readonly #lines: StreamedLines;
  readonly #calls = new CallLines();
  #view = NEW_SESSION;
  /** Set once the session that is watched has been left for another one. */
  #isLeft = false;
  /** Inputs that this client takes back to send them at once. */
  readonly #resent = new Set<InputId>();
  /** Whether the session was last told to be in plan mode. */
  #plans = false;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#lines = new StreamedLines({ holds: options.holdsNotices === true });
  }

  /** What to print for this event; empty for those that are not shown, or wait. */
  print(envelope: Envelope): string {
    const before = this.#view;
    this.#view = sessionAfter(before, envelope);
    if (envelope.parentCall !== undefined) return this.#subAgent(envelope);
    if (envelope.kind === "TextDelta")
      return this.#options.answers ? this.#lines.push(envelope.payload.text) : "";
    if (ENDS_TEXT.has(envelope.kind)) this.#lines.endText();
    if (envelope.kind === "TurnEnded") {
      this.#calls.clear();
      return this.#turnEnd(envelope);
    }
    if (envelope.kind === "SessionEnded" && this.#isEarlier(envelope)) return this.flush(); // what goes on has not ended
    const text = this.#text(envelope, before);
    if (text === undefined) return "";
    if (CALLS.has(envelope.kind)) return this.#lines.line(text);
    return BESIDE.has(envelope.kind) ? this.notice(text) : this.line(text);
  }

  /** The session as far as it was printed. */
  get view(): SessionView {
    return this.#view;
  }

  get #running(): OpenCalls {
    return this.#view.run?.calls ?? NO_CALLS;
  }

  /** This client takes a waiting input back to send it at once. */
  resends(inputId: InputId): void {
    this.#resent.add(inputId);
  }

  /** Whether a notice waits for the end of a line. */
  get isHolding(): boolean {
    return this.#lines.isHolding;
  }

  /** The text so far ends inside a block of code. */
  get isInCode(): boolean {
    return this.#lines.isInCode;
  }

  /** @param quotes wraps quoted lines too. */
  #wrapped(text: string, quotes: boolean): string {
    return wrapWords(text, { columns: this.#options.columns?.(), quotes });
  }

  /** A text of our own on lines of its own, after whatever stands unfinished or waits. */
  line(text: string, quotes = false): string {
    return this.#lines.line(this.#wrapped(text, quotes));
  }

  /** A text of our own that can wait for the end of a line of streamed text. */
  notice(text: string): string {
    return this.#lines.notice(this.#wrapped(text, false));
  }

  /** Ends the line that stands unfinished, where one does, and prints what waits. */
  flush(): string {
    return this.#lines.flush();
  }

  /** How a turn of an earlier run ended, where that is worth telling: nobody else tells it. */
  #turnEnd(envelope: EnvelopeOf<"TurnEnded">): string {
    const ending = this.#isEarlier(envelope) ? endingText(envelope.payload.reason) : undefined;
    return ending === undefined ? this.flush() : this.line(`-- ${ending}`);
  }

  #subAgent(envelope: Envelope): string {
    switch (envelope.kind) {
      case "ToolCallStarted":
        return this.#lines.line(`  sub-agent: ${callSummary(envelope.payload.tool, envelope.payload.args)}`);
      case "Error":
        return this.line(
          `  sub-agent: ${severityOf(envelope.payload)}: ${neutraliseLine(envelope.payload.message)}`,
        );
      default:
        return "";
    }
  }

  #text(envelope: Envelope, before: SessionView): string | undefined {
    switch (envelope.kind) {
      case "ToolCallStarted":
        return this.#calls.started(envelope.payload);
      case "ToolResult":
        return this.#calls.ended(envelope.payload, before.run?.calls.get(envelope.payload.callId));
      case "TurnStarted":
        return this.#turnStart(envelope);
      case "InputQueued":
        if (this.#isPast(envelope)) return undefined; // it has begun since, or what still waits is listed
        return queuedText(this.#view.waiting, this.#whoWaits(envelope.payload.originator));
      case "InputWithdrawn":
        if (this.#resent.delete(envelope.payload.inputId)) return undefined;
        return withdrawnText(before.waiting, envelope.payload.inputId);
      case "Cancelled":
        if (this.#isPast(envelope)) return undefined; // the end of its turn tells it
        return `cancelled by ${who(envelope.payload.by, this.#options.client())}`;
      case "Error":
        if (this.#calls.isNoNews(envelope.payload, this.#running)) return undefined;
        return noticeText(envelope);
      case "CompactionTriggered":
        return compactionText(envelope.payload);
      case "TokenExpiring":
        return `the capability token ${envelope.payload.jti} expires soon`;
      case "StreamGap":
      case "HookTimeout":
      case "HookError":
      case "MCPServerDown":
        return noticeText(envelope);
      case "SkillRegistryChanged":
        return `skills now: ${envelope.payload.skills.map(neutraliseLine).join(", ") || "none"}`;
      case "SessionEnded":
        return this.#isLeft ? undefined : `the session has ended (${envelope.payload.reason})`;
      case "PermissionAnswered":
        return this.#answered(envelope.payload);
      case "TaskChanged":
        return `background task ${neutraliseLine(envelope.payload.what)}: ${envelope.payload.state}`;
      case "TodoChanged":
        return todoText(envelope.payload);
      case "MemoryWritten":
        return this.#calls.told(memoryText(envelope.payload), this.#running);
      case "Answered":
        return this.#trusted(envelope.payload, before.run?.questions ?? []);
      case "ProfileSwitched":
        return this.#profileSwitched(envelope);
      case "ModelChanged":
        return this.#isOwn(envelope) ? undefined : modelText(envelope.payload);
      case "RuleRevoked":
        return this.#isOwn(envelope) ? undefined : `rule revoked: ${neutraliseLine(envelope.payload.rule)}`;
      case "RulePromoted":
        return this.#isOwn(envelope) ? undefined : promotedText(envelope.payload);
      case "CustomEvent":
        return this.#custom(envelope, before.waiting);
      case "CheckpointMade":
        return this.#unkept(before.notRestorable);
      case "CostIncremented":
      case "PermissionRequested":
      case "Asked":
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

  /** True for what this very client did: the command that it sent tells that. */
  #isOwn({ payload }: { readonly payload: { readonly by?: ClientId | undefined } }): boolean {
    return payload.by !== undefined && payload.by === this.#options.client?.();
  }

  /** Where the session is left for another one while somebody watches, that one tells it. */
  #profileSwitched(envelope: EnvelopeOf<"ProfileSwitched">): string | undefined {
    const isLeft = envelope.payload.next !== undefined;
    if (!isLeft) return switchedText(envelope);
    if (this.#isPast(envelope)) return envelope.payload.inPlace === true ? undefined : switchedText(envelope);
    this.#isLeft = true;
    return undefined;
  }

  #turnStart(envelope: EnvelopeOf<"TurnStarted">): string | undefined {
    const { originator, content, inputId } = envelope.payload;
    if (content === undefined) return undefined;
    if (originator === this.#options.client())
      return inputId === undefined ? undefined : `now: ${inputLine(content)}`;
    const asker = this.#isPast(envelope) ? "you asked" : `${neutraliseLine(originator)} asks`;
    return `${asker}:\n${quoteInput(content)}`;
  }

  /** Returns the line about files that cannot be set back: once, and again when they are others. */
  #unkept(before: readonly string[]): string | undefined {
    const text = unkeptText(this.#view.notRestorable);
    return text === unkeptText(before) ? undefined : text;
  }

  #whoWaits(originator: ClientId): string {
    return originator === this.#options.client() ? "waiting" : `${neutraliseLine(originator)} waits`;
  }

  #custom(envelope: EnvelopeOf<"CustomEvent">, waited: readonly WaitingInput[]): string | undefined {
    if (envelope.payload.kind === "Rewound" && envelope.payload.namespace === "cinch")
      return this.#isPast(envelope) ? rewoundText(envelope.payload.payload, this.#view.turns) : undefined;
    const skill = skillText(envelope.payload);
    if (skill !== undefined) return skill;
    const agents = agentText(envelope.payload);
    if (agents !== undefined) return agents;
    const plans = planModeOf(envelope);
    if (plans !== undefined) return this.#planMode(plans);
    const given = givenMemories(envelope);
    if (given.length > 0) return `memories for the model: ${given.map(neutraliseLine).join(", ")}`;
    const delivered = deliveredInput(envelope);
    const entered = waited.find(({ inputId }) => inputId === delivered);
    if (entered !== undefined) return `now told to the model: ${inputLine(entered.content)}`;
    const heldBefore = waited.filter(({ held }) => held).length;
    const { waiting } = this.#view;
    const held = waiting.filter((input) => input.held).length;
    return held > heldBefore ? heldText(waiting) : undefined;
  }

  #planMode(active: boolean): string | undefined {
    if (active === this.#plans) return undefined;
    this.#plans = active;
    return active ? "plan mode is on: nothing is changed until you approve a plan" : "plan mode is off";
  }

  #answered(answer: PayloadOf<"PermissionAnswered">): string {
    const { callId, decision, counted, by } = answer;
    const byYou = by === this.#options.client();
    const isCounted = counted && decision === "deny" && by !== undefined; // what nobody answered is told by its error
    if (isCounted && byYou && this.#options.isUnanswered?.(callId) === true) {
      this.#calls.deny(callId, { byYou: false });
      return `  denied: ${NO_ANSWER}`;
    }
    if (isCounted) this.#calls.deny(callId, { byYou });
    return answeredText(answer, this.#options.client());
  }

  /** Returns what became of a file of the project that was asked about. @param open questions before the answer. */
  #trusted({ askId, answer, by }: PayloadOf<"Answered">, open: readonly Question[]): string | undefined {
    const question = open.find((each) => questionId(each) === askId);
    const path = question === undefined ? undefined : fileOf(question);
    if (path === undefined && answer === null)
      return `  ${by === undefined ? "nobody answered in time" : NO_ANSWER}`;
    if (path === undefined) return undefined;
    if (answer === "approve") return `  ${path}: acknowledged`;
    return `  ${path}: left out of this session${answer === null ? ", since nobody answered" : ""}`;
  }

  /** What an earlier run of the same log said. */
  #isEarlier({ session }: Envelope): boolean {
    const { session: watched } = this.#options;
    return watched !== undefined && session !== watched();
  }

  /** Of an earlier run, or of this one before anybody watched it here. */
  #isPast(envelope: Envelope): boolean {
    return this.#isEarlier(envelope) || envelope.id <= (this.#options.past ?? 0);
  }
}

/** Returns the file that a trust question is about. The command that asks about a server reports its fate. */
function fileOf(question: Question): string | undefined {
  if (question.kind !== "asked") return undefined;
  const { about, details = {} } = question.ask;
  if (about !== "trust" || details["server"] !== undefined) return undefined;
  const path = details["path"];
  return typeof path === "string" ? neutraliseLine(path) : "a file of the project";
}

function promotedText({ rule, path, directory }: PayloadOf<"RulePromoted">): string {
  const where = directory === undefined ? "" : ` for ${neutraliseLine(directory)}`;
  return `rule kept in ${neutraliseLine(path)}${where}: ${neutraliseLine(rule)}`;
}
