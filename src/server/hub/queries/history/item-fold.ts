import type { CallId, EventSeq } from "../../../../base/ids.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import type { ItemKind } from "../../../../protocol/queries/history-queries.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { AnswerBlocks } from "../../../../session/search/answer-blocks.ts";
import { itemKind } from "../../../../session/search/item-kind.ts";
import { isShellEvent } from "../../../../view/event-facts.ts";
import { callSummary } from "../../../../view/texts/call-summary.ts";
import { isTurnEnded, isTurnStarted } from "../../../../view/turn-marks.ts";
import { isRefusal } from "../../../../view/turn-result.ts";
import type { LogPiece } from "./history-reader.ts";
import { inputText, slimText, turnMark } from "./history-reader.ts";
import { summaryText } from "./turn-fold.ts";

export type ItemRow = ResultOf<"ListItems">["items"][number];

/** Item under construction. */
type Item = { -readonly [Key in keyof ItemRow]: ItemRow[Key] } & {
  /** The beginning of its text, longer than a summary. */
  words: string;
  /** Id of the question, if it is one about no call. */
  ask?: string;
};

/** Position of the first event that a fold is given. */
export interface FoldStart {
  /** The call that runs the sub-agent whose items are made. Default: the session's own agent. */
  readonly parentCall?: CallId | undefined;
  /** True if no event of the agent stands before the first one. */
  readonly isBeginning: boolean;
  /** The turn of the first event; null between turns; undefined if it is not known. */
  readonly turn: number | null | undefined;
}

/**
 * Makes the items of one agent of events in order, beginning anywhere in a log. An item is made only if its first event
 * was read: the rest of a block of text or of a call whose start is missing makes none.
 */
export class ItemFold {
  readonly #items: Item[] = [];
  readonly #parentCall: CallId | undefined;
  readonly #blocks: AnswerBlocks;
  readonly #open = new Set<Item>();
  /** Commands of people: they belong to no turn. */
  readonly #shell = new WeakSet<Item>();
  readonly #children = new Map<CallId, AnswerBlocks>();
  #turn: number | null | undefined;
  #turnKnownFrom: EventSeq;
  #block: Item | undefined;
  #isStopped = false;
  #isOver = false;
  #hasStart = false;

  constructor({ parentCall, isBeginning, turn }: FoldStart) {
    this.#parentCall = parentCall;
    this.#blocks = new AnswerBlocks(isBeginning);
    this.#turn = turn;
    this.#turnKnownFrom = turn === undefined ? Number.MAX_SAFE_INTEGER : 0;
  }

  /** Items by their first events. Later events still change those that are open. */
  get items(): readonly ItemRow[] {
    return this.#items;
  }

  /** True if the fold knows the turn, and if a piece of text continues a block that began before the first event. */
  get isSettled(): boolean {
    return this.#turn !== undefined && this.#blocks.isSettled;
  }

  /** The event from which on the turn is known. */
  get turnKnownFrom(): EventSeq {
    return this.#turnKnownFrom;
  }

  /** True once the sub-agent has ended whose items are made. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** True if the call that runs the sub-agent was read: nothing of it stands before. */
  get hasStart(): boolean {
    return this.#hasStart;
  }

  /** Makes no more items: later events only complete the present ones. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Removes the items that a page leaves out. */
  keep(isKept: (item: ItemRow) => boolean): void {
    const remaining = this.#items.filter(isKept);
    this.#items.splice(0, this.#items.length, ...remaining);
    for (const item of this.#open) if (!remaining.includes(item)) this.#open.delete(item);
    if (this.#block !== undefined && !remaining.includes(this.#block)) this.#block = undefined;
  }

  /** True if an item can get more events. */
  get isOpen(): boolean {
    return this.#open.size > 0 || this.#block !== undefined;
  }

  /**
   * Returns the items as they are now.
   * @param end "running" or "cancelled": the state of what is open, if the log was read to its end.
   */
  summaries(end: "running" | "cancelled" | undefined): readonly ItemRow[] {
    return this.#items.map((item) => {
      const { ask: _ask, words, ...summary } = item;
      const state = end !== undefined && this.#open.has(item) ? { state: end } : {};
      return { ...summary, text: summaryText(words), ...state };
    });
  }

  add(piece: LogPiece): void {
    const { event } = piece;
    if (isTurnStarted(event)) this.#cancelOpen();
    const mark = turnMark(event);
    if (mark !== undefined) {
      this.#turn = mark;
      this.#turnKnownFrom = Math.min(this.#turnKnownFrom, event.id);
    }
    if (event.parentCall === this.#parentCall) this.#addOwn(piece);
    else this.#addOther(event);
    if (isTurnEnded(event)) {
      this.#turn = null;
      this.#cancelOpen();
    }
  }

  #addOwn(piece: LogPiece): void {
    const { event } = piece;
    const block = this.#blocks.next(event);
    if (block === "continues") extend(this.#block, piece);
    else if (block !== "aside") this.#block = undefined;
    if (block === "continues" || block === "unknown") return;
    this.#close(piece);
    const kind = itemKind(event);
    if (kind === undefined || this.#isStopped) return;
    const item = newItem(piece, kind, this.#turn ?? undefined);
    this.#items.push(item);
    if (block === "begins") this.#block = item;
    if (event.kind === "Asked") item.ask = event.payload.askId;
    if (kind === "call" || kind === "question") this.#open.add(item);
    if (isShellEvent(event)) this.#shell.add(item);
    if (event.kind === "ToolCallStarted") this.#children.set(event.payload.callId, new AnswerBlocks(true));
  }

  /** Counts the items of sub-agents, and finds start and end of the one whose items are made. */
  #addOther(event: Envelope): void {
    if (this.#parentCall !== undefined) {
      if (event.kind === "ToolCallStarted" && event.payload.callId === this.#parentCall) {
        this.#hasStart = true;
        this.#blocks.settle();
      }
      if (event.kind === "ToolResult" && event.payload.callId === this.#parentCall) {
        this.#isOver = true;
        this.#cancelOpen();
      }
    }
    const { parentCall } = event;
    const blocks = parentCall === undefined ? undefined : this.#children.get(parentCall);
    if (blocks === undefined) return;
    const block = blocks.next(event);
    if (block === "continues" || itemKind(event) === undefined) return;
    const parent = [...this.#open].find(({ kind, call }) => kind === "call" && call === parentCall);
    if (parent !== undefined) parent.children = (parent.children ?? 0) + 1;
  }

  /** Adds an event to the open item that it belongs to. */
  #close(piece: LogPiece): void {
    const { event } = piece;
    switch (event.kind) {
      case "ToolCallProgress":
        extend(this.#openCall(event.payload.callId, "call"), piece);
        break;
      case "ToolResult": {
        const { callId, isError } = event.payload;
        const call = this.#openCall(callId, "call");
        this.#children.delete(callId);
        this.#end(call, piece, isError === true ? "error" : "ok");
        break;
      }
      case "PermissionAnswered": {
        const { callId, decision, counted } = event.payload;
        if (!counted) break;
        this.#end(this.#openCall(callId, "question"), piece, decision === "allow" ? "ok" : "refused");
        break;
      }
      case "Answered": {
        const { askId } = event.payload;
        for (const item of [...this.#open].filter(({ ask }) => ask === askId)) this.#end(item, piece, "ok");
        break;
      }
      case "Error": {
        const callId = event.payload.details?.["callId"];
        const call = [...this.#open].find((item) => item.kind === "call" && item.call === callId);
        if (call !== undefined && isRefusal(event.payload)) call.state = "refused";
        break;
      }
      default:
        break;
    }
  }

  #openCall(callId: CallId, kind: "call" | "question"): Item | undefined {
    return [...this.#open].find((item) => item.kind === kind && item.call === callId);
  }

  /** A call that was refused has an error as its result. */
  #end(item: Item | undefined, piece: LogPiece, state: NonNullable<Item["state"]>): void {
    if (item === undefined) return;
    extend(item, piece);
    item.state ??= state;
    this.#open.delete(item);
  }

  /** Questions that belong to no call, and commands of people, stay open beyond a turn. */
  #cancelOpen(): void {
    for (const item of this.#open) {
      if (item.ask !== undefined || this.#shell.has(item)) continue;
      item.state ??= "cancelled";
      this.#open.delete(item);
    }
    this.#block = undefined;
  }
}

function newItem({ event, bytes, isExpired }: LogPiece, kind: ItemKind, turn: number | undefined): Item {
  const { id, ts, parentCall } = event;
  return {
    event: id,
    last_event: id,
    kind,
    ...(turn === undefined ? {} : { turn }),
    ts,
    text: "",
    words: itemText(event),
    ...namesOf(event),
    bytes,
    ...(parentCall === undefined ? {} : { parent_call: parentCall }),
    ...(isExpired ? { expired: true } : {}),
  };
}

function namesOf(event: Envelope): Pick<ItemRow, "tool" | "call"> {
  if (event.kind !== "ToolCallStarted" && event.kind !== "PermissionRequested") return {};
  return { tool: event.payload.tool, call: event.payload.callId };
}

function extend(item: Item | undefined, { event, bytes, isExpired }: LogPiece): void {
  if (item === undefined) return;
  item.last_event = event.id;
  item.bytes += bytes;
  if (isExpired) item.expired = true;
  if (event.kind !== "TextDelta" && event.kind !== "ThinkingDelta") return;
  item.words = slimText(`${item.words}${itemText(event)}`);
}

/** Returns what a list shows of an event: its words, or the names in it. */
function itemText(event: Envelope): string {
  switch (event.kind) {
    case "TextDelta":
      return event.payload.text;
    case "ThinkingDelta":
      return event.payload.block.text;
    case "ToolCallStarted":
      return callSummary(event.payload.tool, event.payload.args);
    case "PermissionRequested":
      return event.payload.summary;
    case "TurnStarted":
    case "InputQueued":
    case "InputEdited":
      return inputText(event.payload.content ?? []);
    case "Asked":
      return event.payload.text;
    case "Error":
      return event.payload.message;
    case "Cancelled":
      return event.payload.reason;
    case "TaskChanged":
      return `${event.payload.what}: ${event.payload.state}`;
    case "MemoryWritten":
      return event.payload.name;
    case "ModelChanged":
      return event.payload.model;
    case "LevelChanged":
      return event.payload.level;
    case "ProfileSwitched":
      return event.payload.to;
    case "RuleRevoked":
    case "RulePromoted":
      return event.payload.rule;
    case "HookTimeout":
    case "HookError":
      return event.payload.command;
    case "MCPServerDown":
      return `${event.payload.name}: ${event.payload.reason}`;
    case "TodoChanged":
      return event.payload.items.map(({ content }) => content).join(", ");
    case "CustomEvent":
      return `${event.payload.namespace}:${event.payload.kind}`;
    default:
      return "";
  }
}
