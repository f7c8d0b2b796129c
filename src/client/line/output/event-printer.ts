import { unreachable } from "../../../base/assert.ts";
import type { CallId, ClientId, EventSeq, InputId, SessionId } from "../../../base/ids.ts";
import type { Envelope, EnvelopeOf } from "../../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../../protocol/events/events.ts";
import { severityOf } from "../../../view/event-facts.ts";
import { autoAttachLine, autoAttachNotice } from "../../../view/notes/auto-attach-text.ts";
import type { SeenClients } from "../../../view/notes/event-text.ts";
import {
  agentText,
  answeredLine,
  clientName,
  compactionLine,
  compactionProgressLine,
  memoryLine,
  promotedText,
  renamedText,
  rewoundText,
  skillText,
  textBy,
  todoLines,
  trustedFileOf,
  unkeptText,
  withdrawnText,
} from "../../../view/notes/event-text.ts";
import { changedInputText, heldText, inputLine, queuedText } from "../../../view/notes/waiting-text.ts";
import type { Question } from "../../../view/questions/questions.ts";
import { questionId } from "../../../view/questions/questions.ts";
import type { OpenCalls } from "../../../view/session/calls/open-calls.ts";
import { NO_CALLS } from "../../../view/session/calls/open-calls.ts";
import { givenMemories } from "../../../view/session/memories.ts";
import { planModeOf } from "../../../view/session/plan-mode.ts";
import type { SessionStep, SessionView } from "../../../view/session/session-view.ts";
import { NEW_SESSION } from "../../../view/session/session-view.ts";
import type { WaitingInput } from "../../../view/session/waiting.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { wrapWords } from "../../../view/terminal/wrap.ts";
import { callSummary } from "../../../view/texts/call-summary.ts";
import { cancelledText, endingText } from "../../../view/texts/ending-text.ts";
import { modelText } from "../../../view/texts/model-text.ts";
import { noticeText } from "../../../view/texts/notice-text.ts";
import { switchedText } from "../../../view/texts/switched-text.ts";
import { deliveredInput } from "../../../view/turn-result.ts";
import { CallLines } from "./call-lines.ts";
import { quoteInput } from "./quote.ts";
import { StreamedLines } from "./streamed-lines.ts";

export interface PrinterOptions {
  /** Returns the printing client, which changes when the engine restarts. Its own input is not printed again. */
  readonly client: () => ClientId;
  /** False to leave out the model's text, which goes elsewhere. */
  readonly answers: boolean;
  /** Returns the current run. Prompts of earlier runs of its log are printed as the user's own. */
  readonly session?: () => SessionId;
  /** The last event of that run's history, which is printed like an earlier run. */
  readonly past?: EventSeq;
  /** Returns true for a call that is denied here because no person can answer. */
  readonly isUnanswered?: (callId: CallId) => boolean;
  /** True to hold notices back until a line of streamed text ends. */
  readonly holdsNotices?: boolean;
  /** True: answers, prompts and calls begin with whose they are. Default: false. */
  readonly isLabelled?: boolean;
  /** Returns the width of the terminal, at which cinch's own lines wrap by words. Default: no wrapping. */
  readonly columns?: () => number | undefined;
}

/** Events whose lines are never wrapped: a call is shown exactly as it ran. */
const CALLS: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>(["ToolCallStarted", "ToolResult"]);

/** Events after which the next text belongs to another message. */
const ENDS_TEXT: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>([
  "ToolCallStarted",
  "ToolResult",
  "TurnStarted",
  "TurnEnded",
]);

const NO_ANSWER = "no answer came, and no person is there to give one";

/** Events that may come at any moment of a turn and may wait for the end of a line. */
const BESIDE: ReadonlySet<Envelope["kind"]> = new Set<Envelope["kind"]>([
  "InputQueued",
  "InputWithdrawn",
  "InputEdited",
  "InputMoved",
  "LevelChanged",
  "CustomEvent",
  "HookTimeout",
  "HookError",
  "MCPServerDown",
  "SkillRegistryChanged",
  "TaskChanged",
  "TokenExpiring",
]);

/**
 * Renders events as terminal text: streamed text at once, one line per tool call, per result and per other event.
 *
 * Untrusted text in them is neutralised (TUI-07).
 */
export class EventPrinter {
  readonly #options: PrinterOptions;
  readonly #lines: StreamedLines;
  readonly #calls: CallLines;
  /** True while the model writes an answer. */
  #isSpeaking = false;
  /** The session after the event that is printed. */
  #view = NEW_SESSION;
  /** True once the session has been left for another one. */
  #isLeft = false;
  /** Inputs that this client withdraws only to send them again. */
  readonly #resent = new Set<InputId>();
  /** True if plan mode was on according to the last event about it. */
  #plans = false;

  constructor(options: PrinterOptions) {
    this.#options = options;
    this.#calls = new CallLines({ isLabelled: options.isLabelled === true });
    this.#lines = new StreamedLines({ holds: options.holdsNotices === true });
  }

  /** Returns the call whose result this event is, if it wrote a whole file and its change is to be printed. */
  wholeWritten(envelope: Envelope): CallId | undefined {
    if (envelope.kind !== "ToolResult" || envelope.parentCall !== undefined) return undefined;
    return this.#calls.wroteWhole(envelope.payload) ? envelope.payload.callId : undefined;
  }

  /** Takes the change that a call has made, as quoted lines. */
  changed(callId: CallId, change: readonly string[]): void {
    this.#calls.changed(callId, change);
  }

  /**
   * Returns the text to print for this event; empty for events that are hidden or held back.
   * @param session the view before and after the event.
   */
  print(envelope: Envelope, { before, after }: SessionStep): string {
    this.#view = after;
    if (envelope.parentCall !== undefined) return this.#subAgent(envelope);
    if (envelope.kind === "TextDelta") return this.#spoken(envelope.payload.text);
    if (ENDS_TEXT.has(envelope.kind)) {
      this.#lines.endText();
      this.#isSpeaking = false;
    }
    if (envelope.kind === "TurnEnded") {
      this.#calls.clear();
      return this.#turnEnd(envelope);
    }
    // The resumed session continues.
    if (envelope.kind === "SessionEnded" && this.#isEarlier(envelope)) return this.flush();
    const text = this.#text(envelope, before);
    if (text === undefined) return "";
    if (CALLS.has(envelope.kind)) return this.#lines.line(text);
    return BESIDE.has(envelope.kind) ? this.notice(text) : this.line(text);
  }

  /** Returns a piece of the model's text, with a label before the first one. */
  #spoken(text: string): string {
    const { answers, isLabelled = false } = this.#options;
    if (!answers) return "";
    const isFirst = !this.#isSpeaking && text.trim() !== "";
    if (isFirst) this.#isSpeaking = true;
    return isLabelled && isFirst
      ? `${this.#lines.flush()}Assistant: ${this.#lines.push(text)}`
      : this.#lines.push(text);
  }

  get #running(): OpenCalls {
    return this.#view.run?.calls ?? NO_CALLS;
  }

  /** Notes that this client withdraws a waiting input only to send it again. */
  resends(inputId: InputId): void {
    this.#resent.add(inputId);
  }

  /** True while a notice waits for the end of a line. */
  get isHolding(): boolean {
    return this.#lines.isHolding;
  }

  /** True if the text so far ends inside a code block. */
  get isInCode(): boolean {
    return this.#lines.isInCode;
  }

  /** @param quotes true to wrap quoted lines too. */
  #wrapped(text: string, quotes: boolean): string {
    return wrapWords(text, { columns: this.#options.columns?.(), quotes });
  }

  /** Returns a text on separate lines, after the unfinished line and the waiting notices. */
  line(text: string, quotes = false): string {
    return this.#lines.line(this.#wrapped(text, quotes));
  }

  /** Returns a text that may wait for the end of a line of streamed text; empty while it waits. */
  notice(text: string): string {
    return this.#lines.notice(this.#wrapped(text, false));
  }

  /** Ends an unfinished line and returns it with the waiting notices. */
  flush(): string {
    return this.#lines.flush();
  }

  /** Returns the ending of a turn of an earlier run, which no other line reports. */
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
        return this.#calls.started(envelope);
      case "ToolResult":
        return this.#calls.ended(envelope, before.run?.calls.get(envelope.payload.callId));
      case "TurnStarted":
        return this.#turnStart(envelope);
      case "InputQueued":
        if (this.#isPast(envelope)) return undefined; // it has started since, or is listed as waiting
        return queuedText(this.#view.waiting, this.#whoWaits(envelope.payload.originator));
      case "InputWithdrawn":
        if (this.#resent.delete(envelope.payload.inputId)) return undefined;
        return this.#withOther(envelope, withdrawnText(before.waiting, envelope.payload.inputId));
      case "Cancelled":
        if (this.#isPast(envelope)) return undefined; // the end of its turn reports it
        return cancelledText(clientName(envelope.payload.by, this.#seen));
      case "Error":
        return this.#calls.isNoNews(envelope.payload, this.#running) ? undefined : noticeText(envelope);
      case "CompactionProgress":
        return compactionProgressLine(envelope.payload);
      case "CompactionTriggered":
        return compactionLine(envelope.payload);
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
        return todoLines(envelope.payload, { isSpoken: this.#options.isLabelled === true });
      case "MemoryWritten":
        return this.#calls.lineOf(memoryLine(envelope.payload), this.#running);
      case "Answered":
        return this.#trusted(envelope, before.run?.questions ?? []);
      case "ProfileSwitched":
        return this.#profileSwitched(envelope);
      case "ModelChanged":
        return this.#byOther(envelope, modelText(envelope.payload));
      case "LevelChanged":
        return this.#byOther(envelope, `level: ${envelope.payload.level}`);
      case "InputEdited":
      case "InputMoved":
        if (this.#isPast(envelope)) return undefined;
        return this.#byOther(envelope, changedInputText(this.#view.waiting, envelope));
      case "RuleRevoked":
        return this.#byOther(envelope, `rule revoked: ${neutraliseLine(envelope.payload.rule)}`);
      case "RulePromoted":
        return this.#byOther(envelope, promotedText(envelope.payload));
      case "SessionRenamed":
        return this.#byOther(envelope, renamedText(envelope.payload));
      case "CustomEvent":
        return this.#custom(envelope, before.waiting);
      case "CheckpointMade":
        return this.#unkept(before.notRestorable);
      case "PermissionRequested":
        this.#calls.asked(envelope.payload.callId);
        return undefined;
      case "CostIncremented":
      case "Asked":
      case "TextDelta":
      case "ThinkingDelta":
      case "ToolCallProgress":
      case "ToolArgsDelta":
      case "TurnTiming":
      case "TurnEnded":
        return undefined;
      default:
        return unreachable(envelope);
    }
  }

  get #seen(): SeenClients {
    return { clients: this.#view.clients, self: this.#options.client() };
  }

  /** Returns the text about an act of another client; undefined for one of this client, whose command reported it. */
  #byOther(envelope: ActOf, text: string | undefined): string | undefined {
    return text === undefined || this.#isOwn(envelope)
      ? undefined
      : textBy(text, envelope.payload.by, this.#seen);
  }

  /** Returns the text about an act, with the client if it is another one. */
  #withOther(envelope: ActOf, text: string): string {
    return this.#byOther(envelope, text) ?? text;
  }

  /** Returns true for an action of this client, whose command already reported it. */
  #isOwn({ payload }: ActOf): boolean {
    return payload.by !== undefined && payload.by === this.#options.client?.();
  }

  /** Returns undefined for a live switch to another session, which reports the switch itself. */
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
    if (this.#options.isLabelled === true && this.#isPast(envelope)) return `You:\n${quoteInput(content)}`;
    const asker = this.#isPast(envelope) ? "you asked" : `${clientName(originator, this.#seen)} asks`;
    return `${asker}:\n${quoteInput(content)}`;
  }

  /** Returns the line about files that cannot be set back: once, and again when they are others. */
  #unkept(before: readonly string[]): string | undefined {
    const text = unkeptText(this.#view.notRestorable);
    return text === unkeptText(before) ? undefined : text;
  }

  #whoWaits(originator: ClientId): string {
    const isOwn = originator === this.#options.client();
    return isOwn ? "waiting" : `${clientName(originator, this.#seen)} waits`;
  }

  #custom(envelope: EnvelopeOf<"CustomEvent">, waited: readonly WaitingInput[]): string | undefined {
    if (envelope.payload.kind === "Rewound" && envelope.payload.namespace === "cinch")
      return this.#isPast(envelope) ? rewoundText(envelope.payload.payload, this.#view.turns) : undefined;
    const skill = skillText(envelope.payload);
    if (skill !== undefined) return skill;
    const agents = agentText(envelope.payload);
    if (agents !== undefined) return agents;
    const attach = autoAttachNotice(envelope.payload);
    if (attach !== undefined) return autoAttachLine(attach);
    const plans = planModeOf(envelope);
    if (plans !== undefined) return this.#planMode(plans);
    const memories = givenMemories(envelope);
    if (memories.length > 0) return `memories for the model: ${memories.map(neutraliseLine).join(", ")}`;
    const delivered = deliveredInput(envelope);
    const entered = waited.find(({ inputId }) => inputId === delivered);
    if (entered !== undefined) return `now sent to the model: ${inputLine(entered.content)}`;
    const heldBefore = waited.filter(({ held }) => held).length;
    const { waiting } = this.#view;
    const heldNow = waiting.filter((input) => input.held).length;
    return heldNow > heldBefore ? heldText(waiting) : undefined;
  }

  #planMode(active: boolean): string | undefined {
    if (active === this.#plans) return undefined;
    this.#plans = active;
    return active ? "plan mode is on: nothing is changed until you approve a plan" : "plan mode is off";
  }

  #answered(answer: PayloadOf<"PermissionAnswered">): string {
    const { callId, decision, counted, by } = answer;
    const byYou = by === this.#options.client();
    const isCounted = counted && decision === "deny" && by !== undefined; // the error reports an unanswered question
    if (isCounted && byYou && this.#options.isUnanswered?.(callId) === true) {
      this.#calls.deny(callId, { byYou: false });
      return `  denied: ${NO_ANSWER}`;
    }
    if (isCounted) this.#calls.deny(callId, { byYou });
    return answeredLine(answer, this.#seen);
  }

  /**
   * Returns a sentence about the result of a question about a project file.
   * @param open questions before the answer.
   */
  #trusted(envelope: EnvelopeOf<"Answered">, open: readonly Question[]): string | undefined {
    const { askId, answer, by } = envelope.payload;
    const question = open.find((each) => questionId(each) === askId);
    const path = question === undefined ? undefined : trustedFileOf(question);
    if (path === undefined && answer === null)
      return `  ${by === undefined ? "nobody answered in time" : NO_ANSWER}`;
    if (path === undefined) return undefined;
    if (answer === "approve") return this.#withOther(envelope, `  ${path}: acknowledged`);
    const out = `  ${path}: left out of this session${answer === null ? ", since nobody answered" : ""}`;
    return answer === null ? out : this.#withOther(envelope, out);
  }

  /** Returns true for an event of an earlier run of the same log. */
  #isEarlier({ session }: Envelope): boolean {
    const { session: watched } = this.#options;
    return watched !== undefined && session !== watched();
  }

  /** Returns true for an event of an earlier run, or of this one before this client subscribed. */
  #isPast(envelope: Envelope): boolean {
    return this.#isEarlier(envelope) || envelope.id <= (this.#options.past ?? 0);
  }
}

/** An event that may name the client whose act it is. */
interface ActOf {
  readonly payload: { readonly by?: ClientId | undefined };
}
