import type { JsonObject } from "../../../src/base/json.ts";
import { arrayAt, isObject, stringAt } from "../../../src/base/json.ts";
import { first } from "./anthropic-complaint.ts";

const ROLES = ["system", "developer", "user", "assistant", "tool"];

/** Returns an OpenAI-compatible server's refusal of a chat completion; undefined if it is valid. */
export function chatComplaint(body: JsonObject): string | undefined {
  if (stringAt(body, "model") === undefined) return "you must provide a model parameter";
  const messages = arrayAt(body, "messages").filter(isObject);
  if (messages.length === 0) return "[] is too short - 'messages'";
  return (
    first(arrayAt(body, "tools").filter(isObject), toolComplaint) ??
    first(messages, messageComplaint) ??
    first(messages, (_, i) => pairingComplaint(messages, i))
  );
}

function toolComplaint(tool: JsonObject, i: number): string | undefined {
  const name = stringAt(tool["function"], "name") ?? "";
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
    ? undefined
    : `Invalid 'tools[${i}].function.name': string does not match pattern. Expected '^[a-zA-Z0-9_-]+$'.`;
}

function messageComplaint(message: JsonObject, i: number): string | undefined {
  const role = stringAt(message, "role") ?? "";
  if (!ROLES.includes(role)) return `Invalid value: '${role}' at messages[${i}].role`;
  const calls = arrayAt(message, "tool_calls").filter(isObject);
  if ("tool_calls" in message && calls.length === 0) return `[] is too short - 'messages.${i}.tool_calls'`;
  const content = message["content"];
  const empty = content === null || content === undefined || (Array.isArray(content) && content.length === 0);
  if (empty && !(role === "assistant" && calls.length > 0)) {
    return `Invalid value for 'content' of messages[${i}]: expected a string, got null.`;
  }
  const blank = Array.isArray(content) && content.some((part) => stringAt(part, "text") === "");
  if (blank) return `messages[${i}]: text content blocks must be non-empty`;
  return first(calls, (call, j) =>
    stringAt(call["function"], "arguments") === undefined
      ? `Invalid type for 'messages[${i}].tool_calls[${j}].function.arguments': expected a string`
      : undefined,
  );
}

function pairingComplaint(messages: readonly JsonObject[], i: number): string | undefined {
  const message = messages[i];
  if (message === undefined) return undefined;
  if (message["role"] === "tool") {
    const owner = messages.slice(0, i).findLast((earlier) => earlier["role"] !== "tool");
    const known = arrayAt(owner, "tool_calls").some(
      (call) => stringAt(call, "id") === message["tool_call_id"],
    );
    return known
      ? undefined
      : "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
  }
  const after = messages.slice(i + 1);
  const end = after.findIndex((later) => later["role"] !== "tool");
  const answers = (end === -1 ? after : after.slice(0, end)).map((answer) => answer["tool_call_id"]);
  const missing = arrayAt(message, "tool_calls")
    .map((call) => stringAt(call, "id"))
    .filter((id) => answers.filter((answer) => answer === id).length !== 1);
  return missing.length === 0
    ? undefined
    : `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${missing.join(", ")}`;
}
