import type { JsonObject } from "../../../base/json.ts";
import { wellFormedJson } from "../../../base/json.ts";
import type { ContentBlock, ToolResultBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import { ProviderError } from "../../error.ts";
import type { ModelRequest, SystemSection } from "../../provider.ts";
import type { DialectContext, DialectQuirks } from "../dialect.ts";

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
 * since an earlier request is the same object.
 */
export function buildTurns(
  request: ModelRequest,
  family: string,
  isSaid: (block: ContentBlock) => boolean,
): readonly RequestTurn[] {
  const turns = request.messages.map((message, index) =>
    turnOf(message, family, request.cache.messages.includes(index)),
  );
  const all = mergeTurns(turns);
  const said = all.filter(({ role, blocks }) => role === "user" || blocks.some(({ block }) => isSaid(block)));
  return said.length === all.length ? all : mergeTurns(said);
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

/** Removes empty turns and merges consecutive turns of one role. */
function mergeTurns(turns: readonly RequestTurn[]): readonly RequestTurn[] {
  const result: RequestTurn[] = [];
  for (const turn of turns) {
    const last = result.at(-1);
    if (turn.blocks.length === 0) continue;
    if (last?.role !== turn.role) {
      result.push(turn);
      continue;
    }
    const blocks = inOrder(turn.role, [...last.blocks, ...turn.blocks]);
    result[result.length - 1] = { role: turn.role, blocks };
  }
  return result;
}

function inOrder(role: RequestTurn["role"], blocks: readonly PlacedBlock[]): readonly PlacedBlock[] {
  return role === "user"
    ? [...blocks.filter(isResult), ...blocks.filter((placed) => !isResult(placed))]
    : blocks;
}

type TurnItems<Item> = (turn: RequestTurn, context: DialectContext) => readonly Item[];

interface MadeItems<Item> {
  readonly quirks: DialectQuirks | undefined;
  readonly items: readonly Item[];
}

/**
 * Caches the items that `make` builds for a turn, well-formed: a request repeats nearly all turns of the previous
 * one. `make` may use the turn and the context's quirks only; its errors are not cached.
 */
export function cachePerTurn<Item extends JsonObject>(make: TurnItems<Item>): TurnItems<Item> {
  const known = new WeakMap<RequestTurn, MadeItems<Item>>();
  return (turn, context) => {
    const before = known.get(turn);
    if (before !== undefined && before.quirks === context.quirks) return before.items;
    const items = wellFormedJson(make(turn, context));
    known.set(turn, { quirks: context.quirks, items });
    return items;
  };
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
