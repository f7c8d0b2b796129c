import { defined } from "../../base/defined.ts";
import type { CallId, EventSeq, LogId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { ContentBlock, ToolResultBlock } from "../../protocol/content.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Message } from "../../protocol/message.ts";
import { isShellEvent } from "../../view/event-facts.ts";
import { isTurnEnded, isTurnStarted } from "../../view/turn-marks.ts";
import type { SessionStore, StoredMessage } from "../store/store.ts";

const EVENTS_PER_READ = 1_000;

export interface RebuiltHistory {
  /** Every message; a call may still lack its result, see `openCalls`. */
  readonly history: readonly Message[];
  /** The last messages of `history`, which only events held: store them, or the next resume loses them. */
  readonly recovered: readonly Message[];
  /** Calls without a result, in order. */
  readonly openCalls: readonly UnansweredCall[];
  /** The turn that was running when the log stopped. */
  readonly interruptedTurn?: number;
  readonly lastTurn: number;
}

export interface UnansweredCall {
  readonly callId: CallId;
  readonly name: string;
  readonly input: unknown;
  /** From its intent or its ToolCallStarted; absent if it never started. */
  readonly mutating?: boolean;
}

/** Reads what a resumed log needs, and rebuilds its history (SES-07, SES-17). */
export async function resumeHistory(store: SessionStore, logId: LogId): Promise<RebuiltHistory> {
  const messages = await store.messages(logId);
  const after = messages.at(-1)?.after ?? 0;
  const tail = await eventsAbove(store, logId, after);
  const mark = tail.some(isTurnMark) ? [] : await lastTurnMark(store, logId, after);
  const known = [...mark, ...tail];
  const { interruptedTurn, lastTurn, ...rebuilt } = rebuild(messages, known);
  // A rewind before the first prompt leaves messages and no turn.
  const turns = known.some(isTurnMark)
    ? { lastTurn, ...defined({ interruptedTurn }) }
    : await expiredTurn(store, logId);
  const intents = new Map((await store.orphans(logId)).map((intent) => [intent.callId, intent]));
  return {
    ...rebuilt,
    ...turns,
    openCalls: rebuilt.openCalls.map((call) => {
      const intent = intents.get(call.callId);
      return intent === undefined ? call : { ...call, mutating: intent.mutating };
    }),
  };
}

/**
 * Rebuilds the history from the stored messages and the events after the last of them.
 *
 * A turn that broke off keeps its visible output: the text so far becomes an assistant message, and results that are in
 * the log and in no message answer their calls. Events up to the last message only decide which turn was running; if
 * none of them starts or ends a turn, it was the last message's turn.
 */
export function rebuild(messages: readonly StoredMessage[], tail: readonly Envelope[]): RebuiltHistory {
  const last = messages.at(-1);
  const recovery = new Recovery(messages);
  const holds = idsThatHold(tail);
  const started = new Map<CallId, boolean>();
  let lastTurn = last?.turn ?? 0;
  let running = last?.turn;
  for (const event of tail) {
    // Those of a sub-agent have a history of their own, and a person's command is no call of the model.
    if (event.parentCall !== undefined || isShellEvent(event)) continue;
    if (isTurnStarted(event)) running = event.payload.turn;
    if (isTurnEnded(event)) running = undefined;
    if (event.kind === "ToolCallStarted") started.set(event.payload.callId, event.payload.mutating);
    if (event.id > (last?.after ?? 0) && holds.has(event.id)) recovery.add(event, lastTurn);
    lastTurn = Math.max(lastTurn, running ?? 0);
  }
  const recovered = recovery.messages();
  const history = [...messages.map(({ message }) => message), ...recovered];
  return {
    history,
    recovered,
    openCalls: openCalls(history, started),
    lastTurn,
    ...defined({ interruptedTurn: running }),
  };
}

interface Step {
  readonly id: EventSeq;
  readonly before: Step | undefined;
}

/** Returns the events that still count for the conversation after rewinds. */
function idsThatHold(tail: readonly Envelope[]): ReadonlySet<EventSeq> {
  const after = new Map<EventSeq, Step | undefined>();
  const beginnings = new Set<EventSeq>();
  let newest: Step | undefined;
  for (const event of tail) {
    const to = rewoundTo(event);
    // A rewind to a turn goes before its start, one to any other event after it.
    if (to !== undefined) newest = beginnings.has(to) ? after.get(to)?.before : after.get(to);
    newest = { id: event.id, before: newest };
    after.set(event.id, newest);
    if (isTurnStarted(event)) beginnings.add(event.id);
  }
  const ids = new Set<EventSeq>();
  for (let step = newest; step !== undefined; step = step.before) ids.add(step.id);
  return ids;
}

/** Returns the event that the conversation was set back to; 0 is the beginning; undefined for any other event. */
function rewoundTo({ kind, payload, parentCall }: Envelope): EventSeq | undefined {
  if (kind !== "CustomEvent" || parentCall !== undefined) return undefined;
  if (payload.namespace !== "cinch" || payload.kind !== "Rewound" || !isObject(payload.payload))
    return undefined;
  const { to, what } = payload.payload;
  return what === "files" || typeof to !== "number" ? undefined : to;
}

/** Collects, event by event, the messages that were never stored. */
class Recovery {
  readonly #messages: { role: Message["role"]; content: ContentBlock[] }[] = [];
  /** Calls in a message, with or without their result. */
  readonly #calls = new Set<CallId>();
  readonly #answered = new Set<CallId>();
  #text = "";

  constructor(stored: readonly StoredMessage[]) {
    for (const { message } of stored) {
      for (const block of message.content) {
        if (block.type === "tool_use") this.#calls.add(block.id);
        if (block.type === "tool_result") this.#answered.add(block.tool_use_id);
      }
    }
  }

  add(event: Envelope, lastTurn: number): void {
    switch (event.kind) {
      case "TurnStarted":
        this.#endText();
        // A turn that the messages know has its prompt among them.
        if (event.payload.turn > lastTurn) this.#push("user", event.payload.content ?? []);
        return;
      case "TextDelta":
        this.#text += event.payload.text;
        return;
      case "ToolCallStarted": {
        this.#endText();
        const { callId: id, tool: name, args: input } = event.payload;
        if (this.#calls.has(id)) return;
        this.#calls.add(id);
        this.#push("assistant", [{ type: "tool_use", id, name, input }]);
        return;
      }
      case "ToolResult":
        this.#endText();
        this.#answer(event.payload);
        return;
      default:
        return; // not part of what the model read
    }
  }

  messages(): readonly Message[] {
    this.#endText();
    return this.#messages;
  }

  #answer({ callId, content, isError }: Extract<Envelope, { kind: "ToolResult" }>["payload"]): void {
    if (!this.#calls.has(callId) || this.#answered.has(callId)) return;
    this.#answered.add(callId);
    const result: ToolResultBlock = { type: "tool_result", tool_use_id: callId, content };
    this.#push("user", [isError === undefined ? result : { ...result, is_error: isError }]);
  }

  #endText(): void {
    const text = this.#text;
    this.#text = "";
    if (text.trim() !== "") this.#push("assistant", [{ type: "text", text }]);
  }

  #push(role: Message["role"], blocks: readonly ContentBlock[]): void {
    if (blocks.length === 0) return;
    const last = this.#messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else this.#messages.push({ role, content: [...blocks] });
  }
}

function openCalls(history: readonly Message[], started: ReadonlyMap<CallId, boolean>): UnansweredCall[] {
  const open = new Map<CallId, UnansweredCall>();
  for (const { content } of history) {
    for (const block of content) {
      if (block.type === "tool_result") open.delete(block.tool_use_id);
      if (block.type !== "tool_use") continue;
      const mutating = started.get(block.id);
      const call = { callId: block.id, name: block.name, input: block.input };
      open.set(block.id, mutating === undefined ? call : { ...call, mutating });
    }
  }
  return [...open.values()];
}

async function eventsAbove(store: SessionStore, logId: LogId, since: EventSeq): Promise<Envelope[]> {
  const events: Envelope[] = [];
  while (true) {
    const next = await store.events(logId, events.at(-1)?.id ?? since, EVENTS_PER_READ);
    events.push(...next);
    if (next.length < EVENTS_PER_READ) return events;
  }
}

/**
 * Returns the last start or end of a turn up to an event: the turn of a message alone does not say whether it ended.
 */
async function lastTurnMark(store: SessionStore, logId: LogId, upTo: EventSeq): Promise<readonly Envelope[]> {
  for (let to = upTo; to > 0; to -= EVENTS_PER_READ) {
    const from = Math.max(0, to - EVENTS_PER_READ);
    const mark = (await store.events(logId, from, to - from)).findLast(isTurnMark);
    if (mark !== undefined) return [mark];
  }
  return [];
}

/**
 * Returns the last turn of a log whose messages have expired: numbering continues after it, and if it never ended it
 * still has to.
 */
async function expiredTurn(
  store: SessionStore,
  logId: LogId,
): Promise<Pick<RebuiltHistory, "lastTurn" | "interruptedTurn">> {
  for (let before = (await store.find(logId))?.lastEvent ?? 0; before > 0; ) {
    const page = await store.eventsBefore(logId, before, EVENTS_PER_READ);
    const mark = page.findLast(isTurnMark);
    if (mark?.kind === "TurnEnded") return { lastTurn: mark.payload.turn };
    if (mark?.kind === "TurnStarted") {
      const { turn } = mark.payload;
      return { lastTurn: turn, interruptedTurn: turn };
    }
    before = (page[0]?.id ?? 1) - 1;
  }
  return { lastTurn: 0 };
}

function isTurnMark(event: Envelope): boolean {
  return isTurnStarted(event) || isTurnEnded(event);
}
