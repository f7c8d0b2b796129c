import { wellFormed } from "./text/text.ts";

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object whose values are still unknown. */
export type JsonObject = { readonly [key: string]: unknown };

/** A JSON Schema document, draft 2020-12, as models and validators take it. */
export type JsonSchema = { readonly [key: string]: unknown };

export const JSON_DEPTH_MAX = 64;

/** Tells a JSON object from arrays, null and scalars. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Parses JSON from outside: undefined where it is not JSON, or nested deeper than `JSON_DEPTH_MAX`.
 *
 * `__proto__` stays an ordinary key of the parsed object; never copy such an object with `Object.assign`.
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    // A level of nesting takes two characters at least.
    if (text.length <= 2 * JSON_DEPTH_MAX) return { value };
    return depthWithin(value, JSON_DEPTH_MAX) ? { value } : undefined;
  } catch {
    return undefined; // not JSON: the caller decides what that means
  }
}

/** Values of one message: far more than any has, and few enough to be read at once. */
export const JSON_VALUES_MAX = 262_144;

/**
 * Parses a message from outside, as `parseJson` does: undefined also where it has more than `JSON_VALUES_MAX` values, which
 * would hold up everybody for seconds and take a hundred times its length. That is seen before any of them is made (S65).
 */
export function parseMessage(text: string): { readonly value: unknown } | undefined {
  return valuesWithin(text, JSON_VALUES_MAX) ? parseJson(text) : undefined;
}

/** Counts commas and brackets outside of texts; of what is no JSON it need not tell anything. */
function valuesWithin(text: string, valuesMax: number): boolean {
  if (text.length <= 2 * valuesMax) return true; // a value takes two characters at least
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

/** Where the text that begins here ends; -1 where it does not. */
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
  // Every delta of every answer comes through here, so no list is made of it; plain data inherits nothing to be seen.
  for (const key in value) if (!depthWithin((value as JsonObject)[key], depth - 1)) return false;
  return true;
}

/** About how many characters a value takes as JSON: those of its texts and keys, and a few for all else. */
export function charsOf(value: unknown): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 8;
  let chars = 2;
  if (Array.isArray(value)) for (const inner of value) chars += charsOf(inner);
  else for (const key in value) chars += key.length + 4 + charsOf((value as JsonObject)[key]);
  return chars;
}

/** The string at a key, where there is one. */
export function stringAt(value: unknown, key: string): string | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "string" ? found : undefined;
}

/** The finite number at a key, where there is one. */
export function numberAt(value: unknown, key: string): number | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** The object at a key, where there is one. */
export function objectAt(value: unknown, key: string): JsonObject | undefined {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : undefined;
}

/** The array at a key; empty where there is none. */
export function arrayAt(value: unknown, key: string): readonly unknown[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

/**
 * The value with every lone surrogate in it replaced, deep down, in keys too: one of them in a history would have every
 * later request refused (R05). Whatever is well-formed stays the same value.
 */
export function wellFormedJson<Value>(value: Value): Value {
  // Looked through first, since nearly always there is nothing to repair. Texts become texts: the shape stays as it is.
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

/** JSON with the keys of every object in one order: two values are the same where their texts are. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_key, inner: unknown) =>
      isObject(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? "null"
  );
}
