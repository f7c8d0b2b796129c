import type { Json, JsonObject } from "../../base/json.ts";
import { isObject } from "../../base/json.ts";
import { wellFormed } from "../../base/text.ts";

/**
 * The value with every lone surrogate replaced, deep down: one of them in a history would have every later request
 * refused (R05). Whatever is well-formed stays the same object.
 */
export function wellFormedJson(value: JsonObject): JsonObject {
  return repaired(value as Json) as JsonObject;
}

function repaired(value: Json): Json {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) {
    const items = value.map(repaired);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, inner]) => [wellFormed(key), repaired(inner as Json)] as const,
  );
  const isSame = entries.every(([key, inner]) => Object.hasOwn(value, key) && inner === value[key]);
  return isSame ? value : Object.fromEntries(entries);
}
