import { isObject } from "../../base/json.ts";
import type { ResultContent } from "../../protocol/content.ts";
import { textOutput } from "../output.ts";
import type { ToolOutput } from "../tool.ts";

/**
 * Converts what the code of a plugin or a program returned for a call to the engine's form.
 * @throws Error that says what is wrong with it.
 */
export function convertOutput(result: unknown): ToolOutput {
  if (typeof result === "string") return textOutput(result);
  if (!isObject(result))
    throw new Error(`the result is ${typeNameOf(result)}, not a text or an object with content`);
  const { content, isError = false } = result;
  if (!Array.isArray(content)) throw new Error("the result has no content");
  if (typeof isError !== "boolean") throw new Error("isError of the result is neither true nor false");
  return { content: content.map(blockFrom), ...(isError ? { isError } : {}) };
}

function blockFrom(block: unknown): ResultContent {
  if (isObject(block)) {
    const { type, text, source } = block;
    if (type === "text" && typeof text === "string") return { type, text };
    if ((type === "image" || type === "audio") && isObject(source)) {
      const { type: kind, media_type, data } = source;
      if (kind === "base64" && typeof media_type === "string" && isBase64(data))
        return { type, source: { type: kind, media_type, data } };
    }
  }
  throw new Error("the content of the result holds something that is not a text, image or audio block");
}

function isBase64(data: unknown): data is string {
  return typeof data === "string" && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data);
}

function typeNameOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
}
