import type { JsonObject } from "../../../base/json.ts";
import { isObject, parseJson, wellFormedJson } from "../../../base/json.ts";
import type { ModelToolUse } from "../../provider.ts";
import type { DialectDress } from "../dialect.ts";
import { canonicalToolName } from "../request/tool-name.ts";

/**
 * A finished tool call from its name and the text of its arguments.
 *
 * No arguments at all are an empty object; anything else that is no JSON object is kept as it came in `malformed`,
 * and the call fails without running.
 */
export function toolCall(name: string, argumentsText: string, dress: DialectDress): ModelToolUse {
  const call = { type: "tool_use", name: canonicalToolName(name, dress.toolNames) } as const;
  if (argumentsText.trim() === "") return { ...call, input: {} };
  const parsed = parseJson(argumentsText);
  if (parsed !== undefined && isObject(parsed.value)) return { ...call, input: parsed.value };
  return { ...call, input: {}, malformed: argumentsText };
}

/**
 * Tells whether a call that the output limit may have cut is whole: a JSON object cut short is never JSON, but no
 * arguments at all may be a call whose arguments had not begun.
 */
export function isSurelyWhole(argumentsText: string): boolean {
  return argumentsText.trim() !== "" && isObject(parseJson(argumentsText)?.value);
}

/** The wire takes objects only; a call whose input was no object is one that failed without running. */
export function objectInput(input: unknown): JsonObject {
  return isObject(input) ? input : {};
}

/** The arguments of a call as the text that the OpenAI dialects want: well-formed inside, too. */
export function argumentsText(input: unknown): string {
  return JSON.stringify(wellFormedJson(objectInput(input)));
}
