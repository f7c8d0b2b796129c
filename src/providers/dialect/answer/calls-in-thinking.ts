import { isObject, parseJson, stringAt } from "../../../base/json.ts";

/** A call by its name and the text of its arguments, which is not JSON where the call could not be read. */
export interface WrittenCall {
  readonly name: string;
  readonly arguments: string;
}

/** Calls read from one answer; a model that writes more is in a loop. */
const CALLS_MAX = 32;
/** Calls are searched in the last so many UTF-16 units. */
const UNITS_MAX = 262_144;
const AT_END = /(?:<tool_call>(?:(?!<tool_call>)[\s\S])*?<\/tool_call>\s*)+$/;

/**
 * Returns the tool calls that thinking ends with, each between `<tool_call>` and `</tool_call>`.
 *
 * Open models write calls that way, and a server takes them for thinking if the model did not close its thoughts
 * before. A call that is not `{"name", "arguments"}` keeps its text as arguments, so that the model reads that it
 * was malformed.
 */
export function callsInThinking(thinking: string): readonly WrittenCall[] {
  if (!thinking.trimEnd().endsWith("</tool_call>")) return [];
  const [tail = ""] = AT_END.exec(thinking.slice(-UNITS_MAX)) ?? [];
  const bodies = [...tail.matchAll(/<tool_call>([\s\S]*?)<\/tool_call>/g)].slice(0, CALLS_MAX);
  return bodies.flatMap(([, body = ""]) => callIn(body.trim()));
}

function callIn(body: string): readonly WrittenCall[] {
  const value = parseJson(body)?.value;
  const name = stringAt(value, "name") ?? /^(?:<function=)?([\w.-]+)/.exec(body)?.[1] ?? "";
  if (name === "") return [];
  if (!isObject(value)) return [{ name, arguments: body }];
  const input = value["arguments"] ?? value["parameters"] ?? {};
  return [{ name, arguments: typeof input === "string" ? input : JSON.stringify(input) }];
}
