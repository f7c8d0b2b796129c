import * as fc from "fast-check";
import type { JsonObject } from "../../src/base/json.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "../../src/base/json.ts";

const ANY_TEXT = fc.string({ unit: "binary", maxLength: 30 });

/**
 * Values that fit a JSON Schema of the kind that our own schemas generate; anything else in it is an error.
 * @param text texts of fields that take any.
 */
export function fitting(schema: JsonObject, text: fc.Arbitrary<string> = ANY_TEXT): fc.Arbitrary<unknown> {
  const options = [...arrayAt(schema, "oneOf"), ...arrayAt(schema, "anyOf")].filter(isObject);
  if (options.length > 0) return fc.oneof(...options.map((each) => fitting(each, text)));
  if ("const" in schema) return fc.constant(schema["const"]);
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
  switch (schema["type"]) {
    case undefined:
      return fc.jsonValue({ maxDepth: 2, noUnicodeString: false });
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "string":
      return fittingText(schema, text);
    case "integer":
      return fc.integer({ min: numberAt(schema, "minimum") ?? 0, max: numberAt(schema, "maximum") ?? 99 });
    case "number":
      return fc.integer({ min: 0, max: 1_000_000 }).map((millionths) => millionths / 1_000_000);
    case "array":
      return fc.array(fitting(objectAt(schema, "items") ?? {}, text), {
        minLength: numberAt(schema, "minItems") ?? 0,
        maxLength: 3,
      });
    case "object":
      return fittingObject(schema, text);
    default:
      throw new Error(`no values are made for ${JSON.stringify(schema)}`);
  }
}

function fittingText(schema: JsonObject, text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  if (schema["format"] === "base64") return fc.base64String({ maxLength: 40 });
  if (schema["format"] === "date-time") {
    return fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  const pattern = stringAt(schema, "pattern");
  if (pattern !== undefined) return matching(pattern);
  const least = numberAt(schema, "minLength") ?? 0;
  return least === 0 ? text : text.map((each) => each.padEnd(least, "x"));
}

const matchers = new Map<string, fc.Arbitrary<string>>();

/** Returns texts that match a pattern. Making them is slow, and few patterns are in many schemas. */
function matching(pattern: string): fc.Arbitrary<string> {
  const known = matchers.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  matchers.set(pattern, known);
  return known;
}

function fittingObject(schema: JsonObject, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const properties = objectAt(schema, "properties");
  if (properties === undefined) {
    const keys = fc.string({ minLength: 1, maxLength: 8 }).filter((key) => key !== "__proto__");
    return fc.dictionary(keys, fitting(objectAt(schema, "additionalProperties") ?? {}, text), { maxKeys: 3 });
  }
  const model = Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, fitting(isObject(value) ? value : {}, text)]),
  );
  const requiredKeys = arrayAt(schema, "required").filter((key) => typeof key === "string");
  return fc.record(model, { requiredKeys, noNullPrototype: true });
}
