import type { JsonObject } from "../../../base/json.ts";
import { isObject, stringAt, wellFormedJson } from "../../../base/json.ts";
import type { ContentBlock, ImageBlock, ResultContent } from "../../../protocol/content.ts";
import { IMAGE_TYPES } from "../../../safety/media/media-types.ts";
import type { ModelRequest } from "../../provider.ts";
import { objectInput } from "../answer/tool-call.ts";
import type { DialectContext } from "../dialect.ts";
import { pdfData } from "../request/media.ts";
import { renderTools, wireToolName } from "../request/tool-name.ts";
import type { RequestTurn } from "../request/turns.ts";
import {
  buildTurns,
  isBlankText,
  itemsOfTurns,
  joinSystemText,
  unsupportedContent,
} from "../request/turns.ts";
import { anthropicThinking } from "./anthropic-thinking.ts";

/** The API allows four breakpoints; one is reserved for tools and system text. */
const MESSAGE_BREAKPOINTS_MAX = 3;
const CACHE_MARK = { cache_control: { type: "ephemeral" } };

/** Builds the body of a Messages request ([A] § Internal canonical message shape: the canonical form follows it). */
export function anthropicBody(request: ModelRequest, context: DialectContext): JsonObject {
  const hints = [...request.cache.messages].sort((one, other) => one - other).slice(-MESSAGE_BREAKPOINTS_MAX);
  const turns = buildTurns(
    { ...request, cache: { ...request.cache, messages: hints } },
    context.family,
    isSaid,
  );
  const system = joinSystemText(request.system);
  const tools = toolsOf(request.tools);
  const messages = messagesOf(turns, context);
  // The mark after the system text also covers the tools, which stand before it.
  const mark = request.cache.prefix ? CACHE_MARK : {};
  const settings = wellFormedJson({
    model: request.model,
    max_tokens: request.outputTokensMax,
    stream: true,
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...mark }] }),
    ...anthropicThinking(request, messages),
  });
  const marked = system === "" ? [...tools.slice(0, -1), { ...tools.at(-1), ...mark }] : tools;
  const declared = tools.length === 0 ? {} : { tools: marked, tool_choice: { type: "auto" } };
  return { ...settings, ...declared, messages };
}

const toolsOf = renderTools(({ name, description, inputSchema }) => ({
  name: wireToolName(name),
  description,
  input_schema: inputSchema,
}));

type AnthropicMessage = JsonObject & {
  readonly role: "user" | "assistant";
  readonly content: readonly JsonObject[];
};

function isSaid({ type }: ContentBlock): boolean {
  return type !== "thinking";
}

function messagesOf(turns: readonly RequestTurn[], context: DialectContext): readonly AnthropicMessage[] {
  const messages = merged(filledMessages(turns, context));
  // The API requires a user's message first; a shortened history may begin with an answer.
  if (messages[0]?.role !== "assistant") return messages;
  const opening = {
    role: "user",
    content: [{ type: "text", text: "(earlier conversation left out)" }],
  } as const;
  return [opening, ...messages];
}

const filledMessages = itemsOfTurns(messageOf);

/** Returns the message of a turn; empty if this dialect sends none of its blocks. */
function messageOf(
  { role, blocks }: RequestTurn,
  context: DialectContext,
  isLast: boolean,
): readonly AnthropicMessage[] {
  const all = blocks
    .map(({ block, isBreakpoint }) => ({ ...wireBlock(block, context), ...(isBreakpoint ? CACHE_MARK : {}) }))
    .filter((block: JsonObject) => typeof block["type"] === "string");
  const content = role === "user" ? all : withoutLooseEnds(all, isLast);
  return content.length === 0 ? [] : [{ role, content }];
}

/**
 * Removes what the API refuses in a history: a call of a server tool without its result (only a paused answer may end
 * so), and thinking with nothing after it.
 */
function withoutLooseEnds(content: readonly JsonObject[], isLast: boolean): readonly JsonObject[] {
  const answered = new Set(content.map((block) => block["tool_use_id"]));
  const whole = content.filter((block) => isLast || !isServerCall(block) || answered.has(block["id"]));
  const end = whole.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  return whole.slice(0, end + 1);
}

function isServerCall(block: JsonObject): boolean {
  const type = stringAt(block, "type") ?? "";
  return type !== "tool_use" && type.endsWith("tool_use");
}

/** Merges adjacent messages of one role, left when a turn between them was removed. */
function merged(messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
  if (messages.every(({ role }, at) => messages[at - 1]?.role !== role)) return messages;
  const result: AnthropicMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (last?.role !== message.role) result.push(message);
    else result.splice(-1, 1, { role: last.role, content: [...last.content, ...message.content] });
  }
  return result;
}

function wireBlock(block: ContentBlock, context: DialectContext): JsonObject {
  switch (block.type) {
    case "text":
    case "image":
    case "audio":
      return wireContent(block, context);
    case "document": {
      const source = { type: "base64", media_type: block.source.media_type, data: pdfData(block, context) };
      return { type: "document", source };
    }
    case "thinking":
      return isRefused(block.data) ? {} : objectOf(block.data);
    case "opaque":
      return objectOf(block.data);
    case "tool_use":
      return {
        type: "tool_use",
        id: block.id,
        name: wireToolName(block.name),
        input: objectInput(block.input),
      };
    case "tool_result": {
      const content = block.content
        .filter((part) => part.type !== "text" || !isBlankText(part.text))
        .map((part) => wireContent(part, context));
      return {
        type: "tool_result",
        tool_use_id: block.tool_use_id,
        ...(content.length === 0 ? {} : { content }),
        ...(block.is_error === true ? { is_error: true } : {}),
      };
    }
    case "yield":
      return {};
  }
}

function objectOf(data: unknown): JsonObject {
  return isObject(data) ? data : {};
}

/** Returns true for thinking without a signature, cut off by the output limit: the API refuses it in a history. */
function isRefused(data: unknown): boolean {
  return stringAt(data, "type") === "thinking" && (stringAt(data, "signature") ?? "") === "";
}

function wireContent(block: ResultContent, context: DialectContext): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "audio") throw unsupportedContent("audio", context);
  return wireImage(block, context);
}

function wireImage(block: ImageBlock, context: DialectContext): JsonObject {
  const { media_type, data } = block.source;
  if (!IMAGE_TYPES.has(media_type)) throw unsupportedContent(`images of type ${media_type}`, context);
  return { type: "image", source: { type: "base64", media_type, data } };
}
