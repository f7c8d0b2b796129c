import { wellFormed } from "./text/text.ts";

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object whose values are still unknown. */
export type JsonObject = { readonly [key: string]: unknown };

/** A JSON Schema document, draft 2020-12, as models and validators accept it. */
export type JsonSchema = { readonly [key: string]: unknown };

export const JSON_DEPTH_MAX = 64;

/** Returns true for a JSON object, not for arrays, null and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses untrusted JSON. Returns undefined if it is invalid, or nested deeper than `JSON_DEPTH_MAX`.
 *
 * `__proto__` stays an ordinary key of the parsed object; never copy such an object with `Object.assign`.
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // A level of nesting takes at least two characters.
    if (text.length <= 2 * JSON_DEPTH_MAX) return { value };
    return depthWithin(value, JSON_DEPTH_MAX) ? { value } : undefined;
  } catch {
    return undefined; // not JSON: the caller decides what that means
  }
}

/** Limit of values in one message: far more than any has, and few enough to parse at once. */
export const JSON_VALUES_MAX = 262_144;

/**
 * Parses an untrusted message, as `parseJson` does. Returns undefined also above `JSON_VALUES_MAX` values, which
 * would block the process for seconds and take a hundred times its length. That is checked before parsing (S65).
 */
export function parseMessage(text: string): { readonly value: unknown } | undefined {
  return valuesWithin(text, JSON_VALUES_MAX) ? parseJson(text) : undefined;
}

/** Counts commas and brackets outside of strings. The result for invalid JSON does not matter. */
function valuesWithin(text: string, valuesMax: number): boolean {
  if (text.length <= 2 * valuesMax) return true; // a value takes at least two characters
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfText(text, at);
      if (at === -1) return true;
    } else if (code === COMMA || code === OPEN_ARRAY || code === OPEN_OBJECT) {
      values += 1;
      if (values > valuesMax) return false;
    }
  }
  return true;
}

const [QUOTE, COMMA, OPEN_ARRAY, OPEN_OBJECT, BACKSLASH] = [34, 44, 91, 123, 92];

/** Returns the end of the string that begins here; -1 if it has none. */
function endOfText(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return -1;
}

function depthWithin(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((inner) => depthWithin(inner, depth - 1));
  // Every delta of every answer is checked here, so no list is created; plain data has no inherited keys.
  for (const key in value) if (!depthWithin((value as JsonObject)[key], depth - 1)) return false;
  return true;
}

/** Estimates the JSON characters of a value: those of its strings and keys, and a few for everything else. */
export function jsonCharacters(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 8;
  let chars = 2;
  if (Array.isArray(value)) for (const inner of value) chars += jsonCharacters(inner);
  else for (const key in value) chars += key.length + 4 + jsonCharacters((value as JsonObject)[key]);
  return chars;
}

/** Returns the string at a key, if any. */
export function stringAt(value: unknown, key: string): string | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : undefined;
}

/** Returns the finite number at a key, if any. */
export function numberAt(value: unknown, key: string): number | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** Returns the object at a key, if any. */
export function objectAt(value: unknown, key: string): JsonObject | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : undefined;
}

/** Returns the array at a key; empty if there is none. */
export function arrayAt(value: unknown, key: string): readonly unknown[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

/**
 * Replaces every lone surrogate in a value, at any depth and in keys too: a single one in a history would make
 * providers refuse every later request (R05). A well-formed value is returned unchanged.
 */
export function wellFormedJson<Value>(value: Value): Value {
  // Checked first, since a repair is rarely needed. Strings stay strings, so the shape is the same.
  return isWellFormed(value) ? value : (repaired(value) as Value);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const key in value) {
    if (!key.isWellFormed() || !isWellFormed((value as JsonObject)[key])) return false;
  }
  return true;
}

function repaired(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (Array.isArray(value)) {
    const items = value.map(repaired);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [wellFormed(key), repaired(inner)] as const);
  const isSame = entries.every(([key, inner]) => Object.hasOwn(value, key) && inner === value[key]);
  return isSame ? value : Object.fromEntries(entries);
}

/**
 * Returns a text as it is, and any other JSON value as JSON. Never `String()`: a value from outside may hold a
 * `toString` of its own, which then throws.
 */
export function textOfJson(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Renders JSON with sorted keys: two values are equal if their texts are. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      isObject(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? "null"
  );
}
