import type { JsonObject } from "../../../base/json.ts";
import { isObject, parseJson, wellFormedJson } from "../../../base/json.ts";
import type { ModelToolUse } from "../../provider.ts";
import type { DialectContext } from "../dialect.ts";
import { canonicalToolName } from "../request/tool-name.ts";

/**
 * Builds a finished tool call from its name and the text of its arguments.
 *
 * Missing arguments become an empty object. Other text that is no JSON object is kept in `malformed`, and the call
 * fails without running.
 */
export function toolCall(name: string, argumentsText: string, context: DialectContext): ModelToolUse {
  const call = { type: "tool_use", name: canonicalToolName(name, context.toolNames) } as const;
  if (argumentsText.trim() === "") return { ...call, input: {} };
  const parsed = parseJson(argumentsText);
  if (parsed !== undefined && isObject(parsed.value)) return { ...call, input: parsed.value };
  return { ...call, input: {}, malformed: argumentsText };
}

/**
 * Returns true if a call that the output limit may have cut is complete. A JSON object cut short is never JSON; empty
 * arguments may belong to a call whose arguments had not begun.
 */
export function isCompleteCall(argumentsText: string): boolean {
  return argumentsText.trim() !== "" && isObject(parseJson(argumentsText)?.value);
}

/** Returns the input as an object, which the wire format requires. A call with other input failed without running. */
export function objectInput(input: unknown): JsonObject {
  return isObject(input) ? input : {};
}

/** Returns the arguments of a call as text for the OpenAI dialects, well-formed inside too. */
export function argumentsText(input: unknown): string {
  return JSON.stringify(wellFormedJson(objectInput(input)));
}
