import type { JsonObject } from "../../../base/json.ts";
import { isObject, wellFormedJson } from "../../../base/json.ts";
import type { ContentBlock, InputBlock } from "../../../protocol/content.ts";
import { commonEfforts, nearestEffort } from "../../effort.ts";
import type { ModelRequest } from "../../provider.ts";
import { argumentsText } from "../answer/tool-call.ts";
import type { DialectContext } from "../dialect.ts";
import { audioFormat, dataUrl, isInputBlock, pdfFile } from "../request/media.ts";
import { renderTools, wireToolName } from "../request/tool-name.ts";
import type { PlacedBlock, RequestTurn } from "../request/turns.ts";
import {
  buildTurns,
  itemsOfTurns,
  joinSystemText,
  resultText,
  unsupportedContent,
} from "../request/turns.ts";

const CACHE_MARK = { cache_control: { type: "ephemeral" } };

/** Builds the body of a chat completion request, with the differences of its vendor. */
export function openAiChatBody(request: ModelRequest, context: DialectContext): JsonObject {
  const quirks = context.quirks ?? {};
  const turns = buildTurns(request, context.family, isSaid);
  const system = joinSystemText(request.system);
  const marksPrefix = quirks.cacheControl === true && request.cache.prefix;
  const tools = toolsOf(request.tools);
  const settings = wellFormedJson({
    model: request.model,
    [quirks.maxTokensField ?? "max_tokens"]: request.outputTokensMax,
    stream: true,
    stream_options: { include_usage: true },
    ...(quirks.promptCacheKey === true && request.cache.key !== undefined
      ? { prompt_cache_key: request.cache.key }
      : {}),
    ...thinkingFields(request, context),
  });
  const instructions = { role: "system", content: textContent(system, marksPrefix) };
  return {
    ...settings,
    ...(tools.length === 0 ? {} : { tools, tool_choice: "auto" }),
    messages: [...(system === "" ? [] : [wellFormedJson(instructions)]), ...messagesOf(turns, context)],
  };
}

const toolsOf = renderTools(({ name, description, inputSchema }) => ({
  type: "function",
  function: { name: wireToolName(name), description, parameters: inputSchema },
}));

const messagesOf = itemsOfTurns((turn, context) =>
  turn.role === "user" ? userMessages(turn, context) : assistantMessage(turn, context),
);

function isSaid({ type }: ContentBlock): boolean {
  return type === "text" || type === "tool_use";
}

const GATEWAY_EFFORTS = ["low", "medium", "high", "xhigh"] as const;

function thinkingFields(request: ModelRequest, context: DialectContext): JsonObject {
  if (request.thinking === undefined) return {};
  const { effort } = request.thinking;
  switch (context.quirks?.thinkingField) {
    case "reasoning":
      // The gateway maps the two highest efforts to what the model behind it accepts.
      return { reasoning: { effort: nearestEffort(effort, GATEWAY_EFFORTS) } };
    case "thinking":
      return { thinking: { type: "enabled" } };
    default:
      return { reasoning_effort: nearestEffort(effort, commonEfforts()) };
  }
}

/**
 * Returns the tool results, one message each, then the user's message.
 *
 * A tool message holds text only. Images of a result follow in the user's message, after all results, because results
 * must directly follow the calls.
 */
function userMessages({ blocks }: RequestTurn, context: DialectContext): readonly JsonObject[] {
  const results: JsonObject[] = [];
  const parts: JsonObject[] = [];
  for (const placed of blocks) {
    const { block } = placed;
    const isMarked = isMarkedIn(placed, context);
    if (block.type === "tool_result") {
      const media = block.content.filter(({ type }) => type !== "text");
      const content = textContent(resultText(block), isMarked);
      results.push({ role: "tool", tool_call_id: block.tool_use_id, content });
      if (media.length > 0) parts.push({ type: "text", text: "The tool returned this:" });
      parts.push(...media.map((part) => contentPart(part, context)));
    } else if (isInputBlock(block)) {
      parts.push({ ...contentPart(block, context), ...(isMarked ? CACHE_MARK : {}) });
    }
  }
  return parts.length === 0 ? results : [...results, { role: "user", content: plainest(parts) }];
}

function assistantMessage({ blocks }: RequestTurn, context: DialectContext): readonly JsonObject[] {
  const texts = blocks.filter(({ block }) => block.type === "text");
  const calls = blocks.flatMap(({ block }) =>
    block.type === "tool_use"
      ? [
          {
            id: block.id,
            type: "function",
            function: { name: wireToolName(block.name), arguments: argumentsText(block.input) },
          },
        ]
      : [],
  );
  const text = texts.map(({ block }) => (block.type === "text" ? block.text : "")).join("\n\n");
  const isMarked = texts.some((placed) => isMarkedIn(placed, context));
  return [
    {
      role: "assistant",
      // Some servers answer empty text beside calls with empty text, so it is omitted.
      ...(text === "" ? {} : { content: textContent(text, isMarked) }),
      ...thinkingEcho(blocks),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  ];
}

/** Returns the thinking of this family under its original field names; several runs are joined. */
function thinkingEcho(blocks: readonly PlacedBlock[]): JsonObject {
  const echo: Record<string, unknown> = {};
  for (const { block } of blocks) {
    if (block.type !== "thinking" || !isObject(block.data)) continue;
    for (const [field, value] of Object.entries(block.data)) {
      const before = echo[field];
      if (typeof value === "string")
        echo[field] = typeof before === "string" ? `${before}\n\n${value}` : value;
      else if (Array.isArray(value)) echo[field] = Array.isArray(before) ? [...before, ...value] : value;
    }
  }
  return echo;
}

function isMarkedIn({ isBreakpoint }: PlacedBlock, context: DialectContext): boolean {
  return isBreakpoint && context.quirks?.cacheControl === true;
}

function contentPart(block: InputBlock, context: DialectContext): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image_url", image_url: { url: dataUrl(block, context) } };
    case "audio":
      return {
        type: "input_audio",
        input_audio: { data: block.source.data, format: audioFormat(block, context) },
      };
    case "document":
      if (context.quirks?.fileParts !== true) throw unsupportedContent("PDFs", context);
      return { type: "file", file: pdfFile(block, context) };
  }
}

/** A cache mark needs the list form of content; every server accepts the plain string. */
function textContent(text: string, isMarked: boolean): string | readonly JsonObject[] {
  return isMarked ? [{ type: "text", text, ...CACHE_MARK }] : text;
}

/** Returns one plain string if all parts are text: small servers accept no other form. */
function plainest(parts: readonly JsonObject[]): string | readonly JsonObject[] {
  const isPlain = parts.every((part) => part["type"] === "text" && !("cache_control" in part));
  return isPlain ? parts.map((part) => part["text"]).join("\n\n") : parts;
}
