import type { CallId, EventSeq } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { ItemKind } from "../../protocol/queries/history-queries.ts";
import { isShellEvent } from "../../view/event-facts.ts";
import { withoutFenceTags } from "../../view/input-text.ts";
import { isTurnEnded, isTurnStarted } from "../../view/turn-marks.ts";
import { AnswerBlocks } from "./answer-blocks.ts";
import { itemKind } from "./item-kind.ts";

/** One item of a conversation with all of its text. */
export interface ItemText {
  /** Its first event, by which `GetItem` finds it. */
  readonly event: EventSeq;
  readonly ts: string;
  readonly kind: ItemKind;
  /** Absent between turns; "unknown" if it began before the first event that was read. */
  readonly turn?: number | "unknown" | undefined;
  readonly tool?: string | undefined;
  readonly parentCall?: CallId | undefined;
  /** Paths that a call names in its arguments. */
  readonly files: readonly string[];
  /** Pieces of one block without anything between them, else with a line break: no word goes from one to the next. */
  readonly text: string;
}

interface OpenItem extends Omit<ItemText, "text"> {
  readonly texts: string[];
  readonly glue: "" | "\n";
  readonly isExpired: boolean;
  /** True for a command of a person: it belongs to no turn, and stays open beyond one. */
  readonly isShell: boolean;
}

interface Agent {
  readonly blocks: AnswerBlocks;
  block: OpenItem | undefined;
}

/** Depth of arguments whose texts are read. */
const DEPTH_MAX = 16;

/**
 * Joins the events of a log, in order, to the texts of its items, those of sub-agents too. It begins where no item is
 * open. Content that has expired has no text.
 */
export class ItemTexts {
  readonly #onItem: (item: ItemText) => void;
  readonly #agents = new Map<CallId | undefined, Agent>();
  readonly #calls = new Map<CallId, OpenItem>();
  #blocks = 0;
  #turn: ItemText["turn"];

  /**
   * @param onItem called with each item that has a text or is a call, once nothing can be added to it.
   * @param turn the turn before the first event.
   */
  constructor(onItem: (item: ItemText) => void, turn?: "unknown") {
    this.#onItem = onItem;
    this.#turn = turn;
  }

  /** True if no item is open: what follows can be read without what came before. */
  get isQuiet(): boolean {
    return this.#blocks === 0 && this.#calls.size === 0;
  }

  add(event: Envelope, isExpired: boolean): void {
    if (isTurnStarted(event)) {
      this.#endOfTurn();
      this.#turn = event.payload.turn;
    }
    this.#addToAgent(event, isExpired);
    if (event.kind === "ToolResult") this.#endCall(event.payload.callId, isExpired ? [] : textsOf(event));
    if (isTurnEnded(event)) {
      this.#endOfTurn();
      this.#turn = undefined;
    }
  }

  /** True if a command of a person is open: its result may stand behind any number of turns. */
  get hasShellCall(): boolean {
    for (const { isShell } of this.#calls.values()) if (isShell) return true;
    return false;
  }

  /** Adds the result of a command of a person that is open; other events are ignored. */
  addShellResult(event: Envelope, isExpired: boolean): void {
    if (event.kind === "ToolResult" && isShellEvent(event))
      this.#endCall(event.payload.callId, isExpired ? [] : textsOf(event));
  }

  /** Ends all items: nothing is added to them any more. */
  end(): void {
    this.#endOfTurn();
    for (const call of this.#calls.values()) this.#emit(call);
    this.#calls.clear();
  }

  #endOfTurn(): void {
    for (const agent of this.#agents.values()) this.#endBlock(agent);
    this.#agents.clear();
    for (const [id, call] of this.#calls) {
      if (call.isShell) continue;
      this.#calls.delete(id);
      this.#emit(call);
    }
  }

  #addToAgent(event: Envelope, isExpired: boolean): void {
    const agent = this.#agentOf(event.parentCall);
    const part = agent.blocks.next(event);
    if (part === "continues") {
      if (!isExpired) agent.block?.texts.push(...textsOf(event));
      return;
    }
    if (part !== "aside") this.#endBlock(agent);
    const kind = itemKind(event);
    if (kind === undefined || event.kind === "ToolResult") return;
    const item = this.#newItem(event, kind, isExpired);
    if (part === "begins") {
      agent.block = item;
      this.#blocks += 1;
    } else if (event.kind === "ToolCallStarted") this.#calls.set(event.payload.callId, item);
    else this.#emit(item);
  }

  #agentOf(parentCall: CallId | undefined): Agent {
    const known = this.#agents.get(parentCall);
    if (known !== undefined) return known;
    const agent: Agent = { blocks: new AnswerBlocks(true), block: undefined };
    this.#agents.set(parentCall, agent);
    return agent;
  }

  #newItem(event: Envelope, kind: ItemKind, isExpired: boolean): OpenItem {
    const { id, ts, parentCall } = event;
    const isCall = event.kind === "ToolCallStarted";
    return {
      ...{ event: id, ts, kind, turn: this.#turn, parentCall },
      tool: isCall ? event.payload.tool : undefined,
      files: isCall && !isExpired ? filesIn(event.payload.args) : [],
      texts: isExpired ? [] : [...textsOf(event)],
      isExpired,
      isShell: isShellEvent(event),
      glue: event.kind === "TextDelta" || event.kind === "ThinkingDelta" ? "" : "\n",
    };
  }

  #endBlock(agent: Agent): void {
    if (agent.block === undefined) return;
    this.#blocks -= 1;
    this.#emit(agent.block);
    agent.block = undefined;
  }

  /** Ends a call, and what is open of the sub-agent that it ran. */
  #endCall(callId: CallId, texts: readonly string[]): void {
    const ran = this.#agents.get(callId);
    if (ran !== undefined) this.#endBlock(ran);
    this.#agents.delete(callId);
    for (const [inner, item] of this.#calls) {
      if (item.parentCall !== callId) continue;
      this.#calls.delete(inner);
      this.#emit(item);
    }
    const call = this.#calls.get(callId);
    if (call === undefined) return;
    this.#calls.delete(callId);
    call.texts.push(...texts);
    this.#emit(call);
  }

  #emit({ texts, glue, isExpired, isShell: _isShell, ...item }: OpenItem): void {
    const text = texts.join(glue);
    if (text !== "" || (item.tool !== undefined && !isExpired)) this.#onItem({ ...item, text });
  }
}

/**
 * Returns the texts of an event that are searched: prompts, the model's words and thinking, input and output of calls,
 * questions, errors, tasks and memories.
 */
function textsOf(event: Envelope): readonly string[] {
  switch (event.kind) {
    case "TextDelta":
      return [event.payload.text];
    case "ThinkingDelta":
      return [event.payload.block.text];
    case "TurnStarted":
      return textBlocks(event.payload.content ?? []);
    case "InputQueued":
      // An input that waits for its turn is searched as the prompt that it becomes.
      return event.payload.delivery === "steer" ? textBlocks(event.payload.content) : [];
    case "ToolCallStarted":
      return [...leaves(event.payload.args, DEPTH_MAX)];
    case "ToolResult":
      return textBlocks(event.payload.content);
    case "Asked":
      return [event.payload.text];
    case "Error":
      return [event.payload.message];
    case "TaskChanged":
      return [event.payload.what, event.payload.detail ?? ""];
    case "MemoryWritten":
      return [event.payload.name, event.payload.description];
    default:
      return [];
  }
}

function textBlocks(blocks: readonly { readonly type: string }[]): readonly string[] {
  return blocks.flatMap((block) =>
    "text" in block && typeof block.text === "string" ? [withoutFenceTags(block.text)] : [],
  );
}

/** Yields the texts and numbers in arguments. */
function* leaves(value: unknown, depth: number): Generator<string> {
  if (typeof value === "string") yield value;
  else if (typeof value === "number") yield `${value}`;
  else if (depth > 0 && typeof value === "object" && value !== null)
    for (const inner of Object.values(value)) yield* leaves(inner, depth - 1);
}

function filesIn(args: unknown): readonly string[] {
  if (!isObject(args)) return [];
  return Object.entries(args).flatMap(([key, value]) =>
    key.endsWith("path") && typeof value === "string" ? [value] : [],
  );
}
