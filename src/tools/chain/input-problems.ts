import type { OutputUnit, Schema } from "@cfworker/json-schema";
import { Validator } from "@cfworker/json-schema";
import { messageOf } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { arrayAt, isObject } from "../../base/json.ts";
import { head, shortened } from "../../base/text/text.ts";
import type { Tool } from "../tool.ts";

const PROBLEMS_MAX = 5;
const SHOWN_CHARACTERS_MAX = 40;

/** Keywords that only report that something below them does not fit. */
const OUTER = new Set(
  "properties patternProperties additionalProperties unevaluatedProperties items prefixItems additionalItems unevaluatedItems allOf $ref $dynamicRef $recursiveRef if then else dependentSchemas".split(
    " ",
  ),
);

const validators = new WeakMap<Tool, Validator>();

/**
 * Returns the problems of an input against a tool's schema (JSON Schema 2020-12). Each names the field, the expected
 * value and the found one. Empty if it fits. An unusable schema is a problem too.
 */
export function inputProblems(tool: Tool, input: unknown): readonly string[] {
  if (!isObject(input)) return [`expected an object, found ${shown(input)}`];
  try {
    const { valid, errors } = validatorOf(tool).validate(input);
    if (valid) return [];
    const described = errors
      .filter((error) => !OUTER.has(error.keyword))
      .map((error) => describe(error, tool, input));
    const problems = [...new Set(described.flat())];
    if (problems.length === 0) return ["it does not fit the schema"];
    const more = problems.length - PROBLEMS_MAX;
    return more > 0 ? [...problems.slice(0, PROBLEMS_MAX), `and ${more} more`] : problems;
  } catch (thrown) {
    return [`the tool's own schema cannot be used (${messageOf(thrown)})`];
  }
}

function validatorOf(tool: Tool): Validator {
  const known = validators.get(tool);
  if (known !== undefined) return known;
  // A copy: the validator writes notes into the schema, which is also sent to providers.
  const validator = new Validator(structuredClone(tool.inputSchema) as Schema, "2020-12", false);
  validators.set(tool, validator);
  return validator;
}

function describe(error: OutputUnit, tool: Tool, input: JsonObject): readonly string[] {
  const path = pointer(error.instanceLocation);
  const field = path.length === 0 ? "the input" : path.join(".");
  const found = at(input, path);
  const constraint = at(tool.inputSchema, pointer(error.keywordLocation));
  switch (error.keyword) {
    case "required":
      return missing(constraint, { field: path, found, tool, error });
    case "type":
      return [`${field}: expected ${words(constraint) ?? expectedIn(error)}, found ${shown(found)}`];
    case "enum":
      return [
        `${field}: expected one of ${JSON.stringify(constraint) ?? error.error}, found ${shown(found)}`,
      ];
    case "false":
      return [`${field}: there is no such field`];
    default:
      return [`${field}: ${error.error.replace(/\.$/, "")}, found ${shown(found)}`];
  }
}

interface Missing {
  readonly field: readonly string[];
  readonly found: unknown;
  readonly tool: Tool;
  readonly error: OutputUnit;
}

function missing(constraint: unknown, { field, found, tool, error }: Missing): readonly string[] {
  const keys = isObject(found) ? Object.keys(found) : [];
  const names = (Array.isArray(constraint) ? constraint : []).filter(
    (name): name is string => typeof name === "string" && !keys.includes(name),
  );
  if (names.length === 0) return [error.error.replace(/\.$/, "")];
  const parent = pointer(error.keywordLocation).slice(0, -1);
  return names.map((name) => {
    const type = words(at(tool.inputSchema, [...parent, "properties", name, "type"])) ?? "a value";
    const others =
      keys.length > 0 ? ` (given: ${keys.map((key) => head(key, SHOWN_CHARACTERS_MAX)).join(", ")})` : "";
    return `${[...field, name].join(".")}: expected ${type}, found nothing${others}`;
  });
}

function expectedIn(error: OutputUnit): string {
  return /Expected (.+)\.$/.exec(error.error)?.[1]?.replaceAll('"', "") ?? "another type";
}

function words(constraint: unknown): string | undefined {
  if (typeof constraint === "string") return constraint;
  return Array.isArray(constraint) ? constraint.join(" or ") : undefined;
}

/** Splits a JSON pointer in the validator's spelling: `#/a/b`, percent-encoded. */
function pointer(location: string): readonly string[] {
  return location
    .split("/")
    .slice(1)
    .map((part) => decodeURI(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

function at(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) {
    if (Array.isArray(found)) found = arrayAt({ found }, "found")[Number(key)];
    else if (isObject(found) && Object.hasOwn(found, key)) found = found[key];
    else return undefined;
  }
  return found;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (isObject(value)) return "object";
  return `${typeof value} ${shortened(JSON.stringify(value), SHOWN_CHARACTERS_MAX).toWellFormed()}`;
}
