import { isObject, stringAt } from "../../base/json.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelEvent } from "../provider.ts";

/**
 * Returns true for a message of a cassette, checked as far as playback relies on it. The message schema does not fit:
 * it requires a call id where a cassette has a name.
 */
export function isMessage(value: unknown): value is Message {
  const role = stringAt(value, "role");
  if ((role !== "user" && role !== "assistant") || !isObject(value)) return false;
  const { content } = value;
  return Array.isArray(content) && content.every(isMessageBlock);
}

function isMessageBlock(block: unknown): boolean {
  const type = stringAt(block, "type");
  if (type === undefined || !isObject(block)) return false;
  if (type === "text") return typeof block["text"] === "string";
  if (type === "tool_use") return typeof block["name"] === "string";
  const { content } = block;
  return type !== "tool_result" || (Array.isArray(content) && content.every(isMessageBlock));
}

const FINISHES = ["stop", "tool_use", "length", "refused", "paused", "error"];

/** Returns true for an event of an answer. */
export function isModelEvent(value: unknown): value is ModelEvent {
  if (!isObject(value)) return false;
  const { block, usage, reason } = value;
  switch (value["kind"]) {
    case "text":
    case "thinking":
      return isIndex(value["index"]) && typeof value["text"] === "string";
    case "block":
      return isIndex(value["index"]) && isModelBlock(block);
    case "usage":
      return USAGE_KEYS.every((key) => isIndex(isObject(usage) ? usage[key] : undefined));
    case "finish":
      return (
        FINISHES.some((known) => known === reason) &&
        typeof value["raw"] === "string" &&
        ["string", "undefined"].includes(typeof value["model"])
      );
    default:
      return false;
  }
}

const USAGE_KEYS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"];

function isIndex(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isModelBlock(block: unknown): boolean {
  if (!isObject(block)) return false;
  switch (block["type"]) {
    case "text":
      return typeof block["text"] === "string";
    case "thinking":
      return typeof block["family"] === "string" && typeof block["text"] === "string";
    case "opaque":
      return typeof block["family"] === "string";
    case "tool_use":
      return typeof block["name"] === "string" && ["string", "undefined"].includes(typeof block["malformed"]);
    case "yield":
      return ["string", "undefined"].includes(typeof block["reason"]);
    default:
      return false;
  }
}
