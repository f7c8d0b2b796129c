import type { JsonObject } from "../../../src/base/json.ts";
import { arrayAt, isObject, numberAt, stringAt } from "../../../src/base/json.ts";

const BREAKPOINTS_MAX = 4;

/** Returns Anthropic's refusal of a request, in its own order of checks; undefined if it is valid. */
export function anthropicComplaint(body: JsonObject): string | undefined {
  if (stringAt(body, "model") === undefined) return "model: Field required";
  const maxTokens = numberAt(body, "max_tokens");
  if (maxTokens === undefined || maxTokens < 1) return "max_tokens: Field required";
  const messages = arrayAt(body, "messages").filter(isObject);
  if (messages.length === 0) return "messages: at least one message is required";
  if (stringAt(messages[0], "role") !== "user") return 'messages: first message must use the "user" role';
  const marks = JSON.stringify(body).split('"cache_control":').length - 1;
  if (marks > BREAKPOINTS_MAX) {
    return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
  }
  return (
    toolComplaint(body) ??
    systemComplaint(body) ??
    first(messages, (message, i) => messageComplaint(message, i)) ??
    first(messages, (_, i) => pairingComplaint(messages, i))
  );
}

function toolComplaint(body: JsonObject): string | undefined {
  const names = new Set<string>();
  return first(arrayAt(body, "tools").filter(isObject), (tool, i) => {
    const name = stringAt(tool, "name") ?? "";
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      return `tools.${i}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    }
    if (names.has(name)) return "tools: Tool names must be unique.";
    names.add(name);
    const schema = tool["input_schema"];
    return isObject(schema) && schema["type"] === "object"
      ? undefined
      : `tools.${i}.custom.input_schema.type: Field required`;
  });
}

function systemComplaint(body: JsonObject): string | undefined {
  return first(arrayAt(body, "system"), (block) =>
    stringAt(block, "text") ? undefined : "system: text content blocks must be non-empty",
  );
}

function messageComplaint(message: JsonObject, i: number): string | undefined {
  const role = message["role"];
  if (role !== "user" && role !== "assistant") {
    return `messages.${i}.role: Input should be 'user' or 'assistant'`;
  }
  const content = blocksOf(message);
  if (content.length === 0) return `messages.${i}: all messages must have non-empty content`;
  return first(content, (block, j) => {
    const at = `messages.${i}.content.${j}`;
    switch (block["type"]) {
      case "text":
        if (!stringAt(block, "text")) return "messages: text content blocks must be non-empty";
        return stringAt(block, "text")?.trim() === ""
          ? "messages: text content blocks must contain non-whitespace text"
          : undefined;
      case "tool_use":
        if (role !== "assistant") return `${at}: \`tool_use\` blocks can only be in \`assistant\` messages`;
        if (!/^[a-zA-Z0-9_-]+$/.test(stringAt(block, "id") ?? "")) {
          return `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
        }
        return isObject(block["input"])
          ? undefined
          : `${at}.tool_use.input: Input should be a valid dictionary`;
      case "tool_result":
        return role === "user" ? undefined : `${at}: \`tool_result\` blocks can only be in \`user\` messages`;
      case "thinking":
        return stringAt(block, "signature") === undefined
          ? `${at}.thinking.signature: Field required`
          : undefined;
      case undefined:
        return `${at}.type: Field required`;
      default:
        return undefined;
    }
  });
}

/** Each tool_use is answered in the very next message, each tool_result answers the message right before. */
function pairingComplaint(messages: readonly JsonObject[], i: number): string | undefined {
  const message = messages[i];
  if (message === undefined) return undefined;
  const answered = idsOf(messages[i + 1], "tool_result", "tool_use_id");
  const missing = idsOf(message, "tool_use", "id").filter((id) => !answered.includes(id));
  if (missing.length > 0) {
    return `messages.${i}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}`;
  }
  const asked = idsOf(messages[i - 1], "tool_use", "id");
  const results = idsOf(message, "tool_result", "tool_use_id");
  const stray = results.find((id) => !asked.includes(id));
  if (stray !== undefined) {
    return `messages.${i}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`;
  }
  if (new Set(results).size !== results.length) {
    return `messages.${i}.content: each tool_use must have a single result`;
  }
  const blocks = blocksOf(message);
  const lastResult = blocks.findLastIndex((block) => block["type"] === "tool_result");
  const early = blocks.findIndex((block) => block["type"] !== "tool_result");
  return lastResult !== -1 && early !== -1 && early < lastResult
    ? `messages.${i}: \`tool_result\` blocks must come before other content`
    : undefined;
}

function idsOf(message: JsonObject | undefined, type: string, key: string): readonly string[] {
  if (message === undefined) return [];
  return blocksOf(message)
    .filter((block) => block["type"] === type)
    .map((block) => stringAt(block, key) ?? "");
}

function blocksOf(message: JsonObject): readonly JsonObject[] {
  const text = stringAt(message, "content");
  if (text !== undefined) return text === "" ? [] : [{ type: "text", text }];
  return arrayAt(message, "content").filter(isObject);
}

/** The first complaint of a list. */
export function first<Item>(
  items: readonly Item[],
  complain: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const complaint = complain(item, index);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}
