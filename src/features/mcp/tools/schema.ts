import { defined } from "../../../base/defined.ts";
import type { JsonObject, JsonSchema } from "../../../base/json.ts";
import { arrayAt, isObject } from "../../../base/json.ts";
import { foreignText, isShownUnchanged } from "./foreign-text.ts";

/** Nodes of a reduced schema. Anything is accepted below the deepest level or beyond this number. */
export const SCHEMA_NODES_MAX = 1_000;
const DEPTH_MAX = 16;
const NAME_CHARACTERS_MAX = 128;
const VALUES_MAX = 200;
const VALUE_CHARACTERS_MAX = 200;
const DESCRIPTION_CHARACTERS_MAX = 250;
const TYPES: readonly unknown[] = ["string", "number", "integer", "boolean", "array", "object", "null"];
const NUMBERS = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
] as const;
const UNIONS = ["anyOf", "oneOf", "allOf"] as const;

/**
 * Reduces a server's schema to what models see and inputs are checked against: the known keywords that are cheap
 * to check.
 *
 * References are replaced by their targets, so that none leads outside and none multiplies. Patterns are left to the
 * server, because one can take forever. Texts are untrusted and marked so. Returns undefined if the schema describes
 * no object, or if a field has a name that a person could not read.
 */
export function safeSchema(schema: unknown): JsonSchema | undefined {
  if (!isObject(schema) || (schema["type"] !== undefined && schema["type"] !== "object")) return undefined;
  try {
    const safe = new SchemaReducer(schema).node(schema, DEPTH_MAX, []);
    return { ...safe, type: "object", ...(safe["properties"] === undefined ? { properties: {} } : {}) };
  } catch (thrown) {
    if (thrown instanceof Unreadable) return undefined;
    throw thrown;
  }
}

/** Caught in this file. */
class Unreadable extends Error {}

class SchemaReducer {
  readonly #root: JsonObject;
  #left = SCHEMA_NODES_MAX;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  node(schema: unknown, depth: number, behind: readonly string[]): JsonObject {
    this.#left -= 1;
    if (!isObject(schema) || depth === 0 || this.#left <= 0) return {};
    const reference = schema["$ref"];
    if (typeof reference === "string") return this.#referred(reference, depth, behind);
    return {
      ...typeFrom(schema["type"]),
      ...describedFrom(schema),
      ...valuesFrom(schema),
      ...Object.fromEntries(NUMBERS.flatMap((key) => numberFrom(schema, key))),
      ...this.#object(schema, depth, behind),
      ...this.#array(schema, depth, behind),
      ...this.#unions(schema, depth, behind),
    };
  }

  #referred(reference: string, depth: number, behind: readonly string[]): JsonObject {
    if (behind.includes(reference) || !reference.startsWith("#/")) return {};
    const found = reference
      .slice(2)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>(
        (at, key) => (isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined),
        this.#root,
      );
    return this.node(found, depth - 1, [...behind, reference]);
  }

  #object(schema: JsonObject, depth: number, behind: readonly string[]): JsonObject {
    const { properties, additionalProperties: more } = schema;
    const required = arrayAt(schema, "required").filter((name) => typeof name === "string");
    const known = isObject(properties) ? Object.keys(properties) : [];
    const isClosed = more === false && schema["patternProperties"] === undefined;
    return {
      ...(isObject(properties)
        ? {
            properties: Object.fromEntries(
              known.map((name) => [checkedName(name), this.node(properties[name], depth - 1, behind)]),
            ),
          }
        : {}),
      ...(required.length > 0
        ? { required: [...new Set(required)].map(checkedName).slice(0, VALUES_MAX) }
        : {}),
      ...(isClosed ? { additionalProperties: false } : {}),
      ...(isObject(more) ? { additionalProperties: this.node(more, depth - 1, behind) } : {}),
    };
  }

  #array({ items, prefixItems }: JsonObject, depth: number, behind: readonly string[]): JsonObject {
    return {
      ...(isObject(items) ? { items: this.node(items, depth - 1, behind) } : {}),
      ...(Array.isArray(prefixItems)
        ? { prefixItems: prefixItems.slice(0, VALUES_MAX).map((item) => this.node(item, depth - 1, behind)) }
        : {}),
    };
  }

  #unions(schema: JsonObject, depth: number, behind: readonly string[]): JsonObject {
    return Object.fromEntries(
      UNIONS.flatMap((key) => {
        const branches = arrayAt(schema, key).slice(0, VALUES_MAX);
        const isWhole = branches.length > 0 && branches.length < this.#left;
        return isWhole ? [[key, branches.map((branch) => this.node(branch, depth - 1, behind))]] : [];
      }),
    );
  }
}

function typeFrom(type: unknown): JsonObject {
  if (TYPES.includes(type)) return { type };
  const types = Array.isArray(type) ? [...new Set(type.filter((each) => TYPES.includes(each)))] : [];
  return types.length > 0 ? { type: types } : {};
}

function describedFrom({ description, format }: JsonObject): JsonObject {
  const form = typeof format === "string" && /^[a-z-]{1,24}$/.test(format) ? `format ${format}` : "";
  const words = typeof description === "string" ? description : "";
  const text = foreignText(
    [words, form].filter((each) => each !== "").join("; "),
    DESCRIPTION_CHARACTERS_MAX,
  );
  return defined({ description: text });
}

/** Leaves out values that cannot be shown as they are, because no other form of them would be accepted. */
function valuesFrom(schema: JsonObject): JsonObject {
  const values = arrayAt(schema, "enum");
  const isTold = values.length > 0 && values.length <= VALUES_MAX && values.every(isShort);
  const { default: preset, const: only } = schema;
  return {
    ...(isTold ? { enum: values } : {}),
    ...(only !== undefined && isShort(only) ? { const: only } : {}),
    ...(preset !== undefined && isShort(preset) ? { default: preset } : {}),
  };
}

function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= VALUE_CHARACTERS_MAX && isShownUnchanged(value);
  return value === null || typeof value === "number" || typeof value === "boolean";
}

function numberFrom(schema: JsonObject, key: (typeof NUMBERS)[number]): readonly [string, number][] {
  const value = schema[key];
  return typeof value === "number" && Number.isFinite(value) ? [[key, value]] : [];
}

function checkedName(name: string): string {
  if (name.length > NAME_CHARACTERS_MAX || name === "__proto__" || !isShownUnchanged(name))
    throw new Unreadable();
  return name;
}
