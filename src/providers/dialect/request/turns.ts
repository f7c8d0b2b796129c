import type { JsonObject } from "../../../base/json.ts";
import { wellFormedJson } from "../../../base/json.ts";
import type { ContentBlock, ToolResultBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import { ProviderError } from "../../error.ts";
import type { ModelRequest, SystemSection } from "../../provider.ts";
import type { DialectContext, DialectQuirks } from "../dialect.ts";
import { commonStart } from "./common-start.ts";

/** Consecutive messages of one role, merged: every API accepts that and some require it. */
export interface RequestTurn {
  readonly role: "user" | "assistant";
  readonly blocks: readonly PlacedBlock[];
}

export interface PlacedBlock {
  readonly block: ContentBlock;
  /** True if the prompt cache may be cut after this block. */
  readonly isBreakpoint: boolean;
}

/**
 * Builds the turns of the history that a provider of this family accepts.
 *
 * Left out: white-space-only texts (refused by the Messages API), thinking and opaque blocks of other families
 * (ENG-19), yields (no dialect has them), and turns that become empty. An answer of thinking only led to nothing and
 * is left out too. Tool results come first in their turn, directly after the calls they answer.
 *
 * `isSaid` returns true for blocks that alone make an answer in the dialect. A turn of one message that is unchanged
 * since an earlier request is the same object. Turns that the previous request of the conversation had as well are not
 * built again.
 */
export function buildTurns(
  { messages, cache: { messages: breakpoints } }: ModelRequest,
  family: string,
  isSaid: IsSaid,
): readonly RequestTurn[] {
  const [first] = messages;
  if (first === undefined) return [];
  const before = builtTurns.get(first);
  const isAlike = before?.family === family && before.isSaid === isSaid;
  const { turns, starts } = isAlike ? settledTurns(before, messages, breakpoints) : { turns: [], starts: [] };
  const builder = new TurnBuilder(turns, starts, isSaid);
  for (let at = starts.pop() ?? 0; at < messages.length; at++) {
    const message = messages[at];
    if (message !== undefined) builder.add(turnOf(message, family, breakpoints.includes(at)), at);
  }
  builder.end();
  builtTurns.set(first, { family, isSaid, messages, breakpoints, turns, starts });
  return turns;
}

type IsSaid = (block: ContentBlock) => boolean;

/** The turns of the last request of a conversation. None of its lists is changed any more. */
interface BuiltTurns {
  readonly family: string;
  readonly isSaid: IsSaid;
  readonly messages: readonly Message[];
  readonly breakpoints: readonly number[];
  readonly turns: readonly RequestTurn[];
  /** Index of the first message of each turn. */
  readonly starts: readonly number[];
}

/** By the first message: a history grows at its end. */
const builtTurns = new WeakMap<Message, BuiltTurns>();

/** Returns the turns before the last one that began in the common messages, and their starts with that of this one. */
function settledTurns(
  before: BuiltTurns,
  messages: readonly Message[],
  breakpoints: readonly number[],
): { readonly turns: RequestTurn[]; readonly starts: number[] } {
  const moved = [
    ...breakpoints.filter((at) => !before.breakpoints.includes(at)),
    ...before.breakpoints.filter((at) => !breakpoints.includes(at)),
  ];
  const same = Math.min(commonStart(messages, before.messages), ...moved);
  const settled = before.starts.findLastIndex((start) => start < same);
  if (settled === -1) return { turns: [], starts: [] };
  return { turns: before.turns.slice(0, settled), starts: before.starts.slice(0, settled + 1) };
}

/** Merges the turns of messages, and leaves out those that the API refuses. */
class TurnBuilder {
  readonly #turns: RequestTurn[];
  readonly #starts: number[];
  readonly #isSaid: IsSaid;

  constructor(turns: RequestTurn[], starts: number[], isSaid: IsSaid) {
    this.#turns = turns;
    this.#starts = starts;
    this.#isSaid = isSaid;
  }

  add(turn: RequestTurn, start: number): void {
    if (turn.blocks.length === 0) return;
    const last = this.#turns.at(-1);
    if (last !== undefined && last.role !== turn.role && this.#isLeftOut(last)) this.#drop();
    const before = this.#turns.at(-1);
    if (before?.role !== turn.role) {
      this.#turns.push(turn);
      this.#starts.push(start);
      return;
    }
    const blocks = inOrder(turn.role, [...before.blocks, ...turn.blocks]);
    this.#turns[this.#turns.length - 1] = { role: turn.role, blocks };
  }

  end(): void {
    const last = this.#turns.at(-1);
    if (last !== undefined && this.#isLeftOut(last)) this.#drop();
  }

  #isLeftOut({ role, blocks }: RequestTurn): boolean {
    return role === "assistant" && !blocks.some(({ block }) => this.#isSaid(block));
  }

  #drop(): void {
    this.#turns.pop();
    this.#starts.pop();
  }
}

/** Messages never change, and every request converts the history into turns. */
const turnsMade = new WeakMap<Message, MadeTurn>();

interface MadeTurn {
  readonly family: string;
  readonly isBreakpoint: boolean;
  readonly turn: RequestTurn;
}

function turnOf(message: Message, family: string, isBreakpoint: boolean): RequestTurn {
  const before = turnsMade.get(message);
  if (before?.family === family && before.isBreakpoint === isBreakpoint) return before.turn;
  const { role } = message;
  const blocks = message.content.filter((block) => isSent(block, family));
  const turn = { role, blocks: inOrder(role, placedBlocks(blocks, isBreakpoint)) };
  turnsMade.set(message, { family, isBreakpoint, turn });
  return turn;
}

function inOrder(role: RequestTurn["role"], blocks: readonly PlacedBlock[]): readonly PlacedBlock[] {
  return role === "user"
    ? [...blocks.filter(isResult), ...blocks.filter((placed) => !isResult(placed))]
    : blocks;
}

type TurnItems<Item> = (turn: RequestTurn, context: DialectContext, isLast: boolean) => readonly Item[];

/** The items of the last request of a conversation. None of its lists is changed any more. */
interface MadeItems<Item> {
  readonly quirks: DialectQuirks | undefined;
  readonly turns: readonly RequestTurn[];
  readonly items: readonly Item[];
  /** Number of items up to the end of each turn. */
  readonly ends: readonly number[];
}

/**
 * Returns a function that builds the items of all turns, well-formed. Those of turns that the previous request of the
 * conversation had as well are not built again. `make` may use the turn and the context's quirks only; its errors are
 * not cached.
 */
export function itemsOfTurns<Item extends JsonObject>(make: TurnItems<Item>) {
  const known = new WeakMap<RequestTurn, MadeItems<Item>>();
  return (turns: readonly RequestTurn[], context: DialectContext): readonly Item[] => {
    const [first] = turns;
    if (first === undefined) return [];
    const before = known.get(first);
    const common = before?.quirks === context.quirks ? earlierTurns(turns, before?.turns) : 0;
    const ends = before?.ends.slice(0, common) ?? [];
    const items = before?.items.slice(0, ends.at(-1) ?? 0) ?? [];
    for (let at = common; at < turns.length; at++) {
      const turn = turns[at];
      if (turn !== undefined) items.push(...wellFormedJson(make(turn, context, at === turns.length - 1)));
      ends.push(items.length);
    }
    known.set(first, { quirks: context.quirks, turns, items, ends });
    return items;
  };
}

/** Counts the common turns that are the last in neither list. */
function earlierTurns(turns: readonly RequestTurn[], before: readonly RequestTurn[] = []): number {
  return Math.max(0, Math.min(commonStart(turns, before), turns.length - 1, before.length - 1));
}

function placedBlocks(blocks: readonly ContentBlock[], isBreakpoint: boolean): readonly PlacedBlock[] {
  const last = blocks.findLastIndex((block) => block.type !== "thinking" && block.type !== "opaque");
  return blocks.map((block, index) => ({ block, isBreakpoint: isBreakpoint && index === last }));
}

function isSent(block: ContentBlock, family: string): boolean {
  switch (block.type) {
    case "text":
      return !isBlankText(block.text);
    case "thinking":
    case "opaque":
      return block.family === family;
    case "yield":
      return false;
    default:
      return true;
  }
}

function isResult(placed: PlacedBlock): boolean {
  return placed.block.type === "tool_result";
}

export function isBlankText(text: string): boolean {
  return text.trim() === "";
}

/** Joins the non-empty system sections with a blank line between. */
export function joinSystemText(sections: readonly SystemSection[]): string {
  return sections
    .map(({ text }) => text)
    .filter((text) => !isBlankText(text))
    .join("\n\n");
}

/** Returns the text of a tool result. A failure is marked in the text, for dialects without a field for it. */
export function resultText(result: ToolResultBlock): string {
  const text = result.content
    .flatMap((block) => (block.type === "text" && !isBlankText(block.text) ? [block.text] : []))
    .join("\n");
  const said = text === "" ? "(no output)" : text;
  return result.is_error === true ? `Error: ${said}` : said;
}

/** Returns the error for content that a dialect cannot express (ENG-25). */
export function unsupportedContent(content: string, context: DialectContext): ProviderError {
  return new ProviderError("UnsupportedContent", { model: context.model, content });
}
