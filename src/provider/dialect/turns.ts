import type { Json, JsonObject } from "../../base/json.ts";
import { isObject } from "../../base/json.ts";
import { wellFormed } from "../../base/text.ts";
import type { ContentBlock, ToolResultBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import { ProviderError } from "../error.ts";
import type { ModelRequest, SystemSection } from "../provider.ts";
import type { DialectDress } from "./dialect.ts";

/** Messages of one role in a row, as one: what every wire takes and some demand. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly blocks: readonly PlacedBlock[];
}

export interface PlacedBlock {
  readonly block: ContentBlock;
  /** The prompt cache may be cut after this block. */
  readonly isBreakpoint: boolean;
}

/**
 * The history as turns that a provider of this family accepts.
 *
 * Left out: texts of nothing but white space (refused by the Messages API), thinking and opaque blocks of other
 * families (ENG-19), yields (no wire has them), and messages of which nothing remains. The results of tools stand
 * first in their turn, next to the calls they answer.
 */
export function turnsOf(request: ModelRequest, family: string): readonly Turn[] {
  const turns: { readonly role: Turn["role"]; readonly blocks: PlacedBlock[] }[] = [];
  for (const [index, message] of request.messages.entries()) {
    const blocks = placedBlocks(message, family, request.cache.messages.includes(index));
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === message.role) last.blocks.push(...blocks);
    else turns.push({ role: message.role, blocks });
  }
  return turns.map(({ role, blocks }) => ({
    role,
    blocks:
      role === "user"
        ? [...blocks.filter(isResult), ...blocks.filter((placed) => !isResult(placed))]
        : blocks,
  }));
}

function placedBlocks(message: Message, family: string, isBreakpoint: boolean): PlacedBlock[] {
  const blocks = message.content.filter((block) => isSent(block, family));
  const last = blocks.findLastIndex((block) => block.type !== "thinking" && block.type !== "opaque");
  return blocks.map((block, index) => ({ block, isBreakpoint: isBreakpoint && index === last }));
}

function isSent(block: ContentBlock, family: string): boolean {
  switch (block.type) {
    case "text":
      return !isBlank(block.text);
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

export function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** The system text: the sections with something in them, a blank line between. */
export function systemText(sections: readonly SystemSection[]): string {
  return sections
    .map(({ text }) => text)
    .filter((text) => !isBlank(text))
    .join("\n\n");
}

/** The text of a tool result; a failure says so in its text, for wires that have no field for it. */
export function resultText(result: ToolResultBlock): string {
  const text = result.content
    .flatMap((block) => (block.type === "text" && !isBlank(block.text) ? [block.text] : []))
    .join("\n");
  const said = text === "" ? "(no output)" : text;
  return result.is_error === true ? `Error: ${said}` : said;
}

/** The refusal of content that a dialect cannot express (ENG-25). */
export function unsupported(content: string, dress: DialectDress): ProviderError {
  return new ProviderError("UnsupportedContent", { model: dress.model, content });
}

/**
 * The body with every lone surrogate replaced, deep down: one of them in a history would have every later request
 * refused (R05). Whatever is well-formed stays the same object.
 */
export function wellFormedBody(body: { readonly [key: string]: unknown }): JsonObject {
  return repaired(body as Json) as JsonObject;
}

function repaired(value: Json): Json {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) {
    const items = value.map(repaired);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, inner]) => [wellFormed(key), repaired(inner as Json)] as const,
  );
  const isSame = entries.every(([key, inner]) => Object.hasOwn(value, key) && inner === value[key]);
  return isSame ? value : Object.fromEntries(entries);
}
