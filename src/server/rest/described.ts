import type { JsonObject } from "../../base/json.ts";
import { isObject } from "../../base/json.ts";

/** Meaning of a schema and of its parts, from the doc comments in `protocol/`. */
export interface Meaning {
  readonly about?: string;
  /** True if `about` is that of a type which has other uses too. */
  readonly named?: true;
  readonly fields?: Readonly<Record<string, Meaning>>;
  readonly items?: Meaning;
  /** Meaning of the values of a record. */
  readonly values?: Meaning;
  /** Meaning of the members of a union, in order. */
  readonly options?: readonly Meaning[];
}

/** Meaning of the schemas with a name, by that name. */
export type Descriptions = Readonly<Record<string, Meaning>>;

/** Returns a JSON Schema with the meaning of each part as its `description`. A reference gets only its own. */
export function describeSchema(schema: JsonObject, described: Meaning): JsonObject {
  const { about, named } = described;
  const text = named === true && "$ref" in schema ? undefined : about;
  const entries = Object.entries(schema).map(([key, value]) => [key, describePart(key, value, described)]);
  return { ...(text === undefined ? {} : { description: text }), ...Object.fromEntries(entries) };
}

function describePart(key: string, value: unknown, described: Meaning): unknown {
  switch (key) {
    case "properties": {
      const fields = Object.entries(isObject(value) ? value : {});
      return Object.fromEntries(fields.map(([name, field]) => [name, part(field, described.fields?.[name])]));
    }
    case "items":
      return part(value, described.items);
    case "additionalProperties":
      return part(value, described.values);
    case "oneOf":
    case "anyOf":
      return Array.isArray(value)
        ? value.map((option, index) => part(option, optionOf(described, index, value.length)))
        : value;
    default:
      return value;
  }
}

function part(schema: unknown, described: Meaning | undefined): unknown {
  return isObject(schema) && described !== undefined ? describeSchema(schema, described) : schema;
}

/** Returns the meaning of a member of a union; a schema that may be null is the only member with parts. */
function optionOf(described: Meaning, index: number, length: number): Meaning {
  const { options } = described;
  if (options?.length === length) return options[index] ?? {};
  const { about: _about, named: _named, ...parts } = described;
  return parts;
}

/** Returns the part of a meaning that a JSON Schema has use for; undefined if there is none. */
export function usedPart(schema: unknown, described: Meaning): Meaning | undefined {
  if (!isObject(schema)) return undefined;
  const { about, named, fields, items, values, options } = described;
  if ("$ref" in schema) return about === undefined || named === true ? undefined : { about };
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const usedFields = Object.entries(properties).flatMap(([name, field]) => {
    const used = usedPart(field, fields?.[name] ?? {});
    return used === undefined ? [] : [[name, used] as const];
  });
  const members = schema["oneOf"] ?? schema["anyOf"];
  const nullable =
    Array.isArray(members) && options?.length !== members.length
      ? members.map((member) => usedPart(member, optionOf(described, 0, members.length))).find(Boolean)
      : undefined;
  const usedOptions =
    Array.isArray(members) && options?.length === members.length
      ? members.map((member, index) => usedPart(member, options[index] ?? {}) ?? {})
      : [];
  const usedItems = items === undefined ? undefined : usedPart(schema["items"], items);
  const usedValues = values === undefined ? undefined : usedPart(schema["additionalProperties"], values);
  const used: Meaning = {
    ...(about === undefined ? {} : { about }),
    ...(usedFields.length === 0 ? {} : { fields: Object.fromEntries(usedFields) }),
    ...(usedItems === undefined ? {} : { items: usedItems }),
    ...(usedValues === undefined ? {} : { values: usedValues }),
    ...(usedOptions.some((each) => Object.keys(each).length > 0) ? { options: usedOptions } : {}),
    ...nullable,
  };
  return Object.keys(used).length === 0 ? undefined : used;
}
