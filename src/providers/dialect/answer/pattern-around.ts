import type { JsonObject } from "../../../base/json.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import type { TextPattern } from "../../http/stream/text-pattern.ts";

/**
 * Returns the data of an event around its text; undefined if the text is not where it seems to be, or is written in
 * an unusual way.
 *
 * @param textIn finds the text in parsed data. It decides: data with another text in that place must give that text.
 */
export function patternAround(
  text: string,
  data: string,
  textIn: (data: JsonObject) => string | undefined,
): TextPattern | undefined {
  const written = JSON.stringify(text);
  const at = data.lastIndexOf(written);
  if (at === -1) return undefined;
  const pattern = { before: data.slice(0, at + 1), after: data.slice(at + written.length - 1) };
  const probe = `${text}.`;
  const changed = parseJson(`${pattern.before}${JSON.stringify(probe).slice(1, -1)}${pattern.after}`)?.value;
  return isObject(changed) && textIn(changed) === probe ? pattern : undefined;
}
