import * as fc from "fast-check";
import type { JsonObject } from "../../src/base/json.ts";
import { arrayAt, isObject, numberAt, objectAt, stringAt } from "../../src/base/json.ts";

/** Values that fit a JSON Schema of the kind that our own schemas generate; anything else in it is an error. */
export function fitting(schema: JsonObject): fc.Arbitrary<unknown> {
  const options = [...arrayAt(schema, "oneOf"), ...arrayAt(schema, "anyOf")].filter(isObject);
  if (options.length > 0) return fc.oneof(...options.map(fitting));
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
      return fittingText(schema);
    case "integer":
      return fc.integer({ min: numberAt(schema, "minimum") ?? 0, max: numberAt(schema, "maximum") ?? 99 });
    case "number":
      return fc.integer({ min: 0, max: 1_000_000 }).map((millionths) => millionths / 1_000_000);
    case "array":
      return fc.array(fitting(objectAt(schema, "items") ?? {}), {
        minLength: numberAt(schema, "minItems") ?? 0,
        maxLength: 3,
      });
    case "object":
      return fittingObject(schema);
    default:
      throw new Error(`no values are made for ${JSON.stringify(schema)}`);
  }
}

function fittingText(schema: JsonObject): fc.Arbitrary<string> {
  if (schema["format"] === "base64") return fc.base64String({ maxLength: 40 });
  if (schema["format"] === "date-time") {
    return fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString());
  }
  const pattern = stringAt(schema, "pattern");
  return pattern === undefined
    ? fc.string({ unit: "binary", minLength: numberAt(schema, "minLength") ?? 0, maxLength: 30 })
    : fc.stringMatching(new RegExp(pattern));
}

function fittingObject(schema: JsonObject): fc.Arbitrary<unknown> {
  const properties = objectAt(schema, "properties");
  if (properties === undefined) {
    const keys = fc.string({ minLength: 1, maxLength: 8 }).filter((key) => key !== "__proto__");
    return fc.dictionary(keys, fitting(objectAt(schema, "additionalProperties") ?? {}), { maxKeys: 3 });
  }
  const model = Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, fitting(isObject(value) ? value : {})]),
  );
  const requiredKeys = arrayAt(schema, "required").filter((key) => typeof key === "string");
  return fc.record(model, { requiredKeys, noNullPrototype: true });
}
