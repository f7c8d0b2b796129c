import { defined } from "../../../base/defined.ts";
import type { JsonObject } from "../../../base/json.ts";
import { isObject, stringAt, wellFormedJson } from "../../../base/json.ts";
import type { ContentBlock, InputBlock } from "../../../protocol/content.ts";
import { nearestEffort, openAiEfforts } from "../../effort.ts";
import type { ModelRequest } from "../../provider.ts";
import { argumentsText } from "../answer/tool-call.ts";
import type { DialectContext } from "../dialect.ts";
import { dataUrl, isInputBlock, pdfFile } from "../request/media.ts";
import { renderTools, wireToolName } from "../request/tool-name.ts";
import {
  buildTurns,
  itemsOfTurns,
  joinSystemText,
  resultText,
  unsupportedContent,
} from "../request/turns.ts";

/** Models that do not reason and refuse requests with reasoning fields. */
const NOT_REASONING = /^(gpt-3|gpt-4|chatgpt-|gpt-5(\.\d+)?-chat)/;

/**
 * Builds the body of a Responses request. The provider stores nothing: every request contains the whole history, with
 * reasoning in its encrypted form.
 */
export function openAiResponsesBody(request: ModelRequest, context: DialectContext): JsonObject {
  const system = joinSystemText(request.system);
  const canReason = !NOT_REASONING.test(request.model);
  const tools = toolsOf(request.tools);
  const turns = buildTurns(request, context.family, isSaid);
  const settings = wellFormedJson({
    model: request.model,
    max_output_tokens: request.outputTokensMax,
    stream: true,
    store: false,
    ...(canReason ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(canReason && request.thinking !== undefined
      ? {
          reasoning: {
            effort: nearestEffort(request.thinking.effort, openAiEfforts(request.model)),
            summary: "auto",
          },
        }
      : {}),
    ...defined({ prompt_cache_key: request.cache.key }),
    ...(system === "" ? {} : { instructions: system }),
  });
  const declared = tools.length === 0 ? {} : { tools, tool_choice: "auto" };
  return { ...settings, ...declared, input: itemsOf(turns, context) };
}

function isSaid({ type }: ContentBlock): boolean {
  return type !== "thinking";
}

const toolsOf = renderTools(({ name, description, inputSchema }) => ({
  type: "function",
  name: wireToolName(name),
  description,
  parameters: inputSchema,
  strict: false,
}));

const itemsOf = itemsOfTurns(({ role, blocks }, context) => {
  const content = blocks.map(({ block }) => block);
  return role === "user" ? userItems(content, context) : assistantItems(content);
});

function userItems(blocks: readonly ContentBlock[], context: DialectContext): readonly JsonObject[] {
  const outputs: JsonObject[] = [];
  const parts: JsonObject[] = [];
  for (const block of blocks) {
    if (block.type === "tool_result") {
      const media = block.content
        .filter(({ type }) => type !== "text")
        .map((part) => inputPart(part, context));
      const text = resultText(block);
      const output = media.length === 0 ? text : [{ type: "input_text", text }, ...media];
      outputs.push({ type: "function_call_output", call_id: block.tool_use_id, output });
    } else if (isInputBlock(block)) {
      parts.push(inputPart(block, context));
    }
  }
  return parts.length === 0 ? outputs : [...outputs, { type: "message", role: "user", content: parts }];
}

/** Returns the items of one answer in order. */
function assistantItems(blocks: readonly ContentBlock[]): readonly JsonObject[] {
  const items = blocks.flatMap(assistantItem);
  // An item that names a call needs its counterpart: a call of a hosted tool without its output is refused.
  const isPaired = (item: JsonObject): boolean =>
    item["type"] === "function_call" ||
    item["call_id"] === undefined ||
    items.filter((other) => other["call_id"] === item["call_id"]).length > 1;
  const paired = items.filter(isPaired);
  // The API refuses reasoning without a following item that it led to.
  const end = paired.findLastIndex(({ type }) => type !== "reasoning");
  return paired.slice(0, end + 1);
}

function assistantItem(block: ContentBlock): readonly JsonObject[] {
  switch (block.type) {
    case "text":
      return [{ type: "message", role: "assistant", content: [{ type: "output_text", text: block.text }] }];
    case "tool_use":
      return [
        {
          type: "function_call",
          call_id: block.id,
          name: wireToolName(block.name),
          arguments: argumentsText(block.input),
        },
      ];
    case "thinking":
      // Without its encrypted content, reasoning is only a reference to something the provider did not store.
      return isObject(block.data) && (stringAt(block.data, "encrypted_content") ?? "") !== ""
        ? [block.data]
        : [];
    case "opaque":
      return isObject(block.data) && typeof block.data["type"] === "string" ? [block.data] : [];
    default:
      return [];
  }
}

function inputPart(block: InputBlock, context: DialectContext): JsonObject {
  switch (block.type) {
    case "text":
      return { type: "input_text", text: block.text };
    case "image":
      return { type: "input_image", image_url: dataUrl(block, context), detail: "auto" };
    case "audio":
      throw unsupportedContent("audio", context);
    case "document":
      return { type: "input_file", ...pdfFile(block, context) };
  }
}
