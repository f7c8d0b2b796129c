import type { JsonObject } from "../src/base/json.ts";
import { isObject, objectAt, stringAt } from "../src/base/json.ts";

const COMPONENTS = "#/components/schemas/";

/** One field of a schema of the OpenAPI document, those inside of it in rows of their own. */
export interface FieldRow {
  /** Path from the schema: `usage.calls`, `files[].path`. */
  readonly path: string;
  /** Type in words; `REF:Name` stands for a schema with a name. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly about?: string | undefined;
}

/**
 * Returns the fields of a schema in order. A schema with a name is one row: its fields are shown once, elsewhere.
 * Without `kind`, whose value is the name of the schema.
 */
export function fieldRows(schema: JsonObject, all: JsonObject, prefix = ""): readonly FieldRow[] {
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(objectAt(schema, "properties") ?? {}).flatMap(([name, field]) => {
    if (!isObject(field) || isName(field, name, prefix)) return [];
    const path = `${prefix}${name}`;
    const about = stringAt(field, "description") ?? aboutOfNamed(field, all);
    const row = { path, type: typeOf(field), isRequired: required.includes(name), about };
    return [row, ...insideOf(field, all, path)];
  });
}

/** Returns true for the field whose value is the name of its schema, or of a member of a union. */
function isName(field: JsonObject, name: string, prefix: string): boolean {
  return (
    "const" in field &&
    ((prefix === "" && name === "kind") || prefix.endsWith(`[${name}=${field["const"]}].`))
  );
}

function insideOf(field: JsonObject, all: JsonObject, path: string): readonly FieldRow[] {
  const items = objectAt(field, "items");
  if (items !== undefined) return insideOf(items, all, `${path}[]`);
  const members = membersOf(field).filter((member) => member["type"] !== "null");
  if (members.length > 0 && members.every((member) => "properties" in member)) {
    const [only] = members;
    if (members.length === 1 && only !== undefined) return insideOf(only, all, path);
    return members.flatMap((member) =>
      fieldRows(member, all, `${path.replace(/\[\]$/, "")}[${memberName(member)}].`),
    );
  }
  const values = objectAt(field, "additionalProperties");
  if (values !== undefined) return insideOf(values, all, `${path}{}`);
  return fieldRows(field, all, `${path}.`);
}

function aboutOfNamed(field: JsonObject, all: JsonObject): string | undefined {
  const ref = stringAt(field, "$ref") ?? stringAt(objectAt(field, "items"), "$ref");
  const [only] = membersOf(objectAt(field, "items") ?? field);
  const inner = ref === undefined ? stringAt(objectAt(field, "items") ?? only, "description") : undefined;
  return ref === undefined ? inner : stringAt(all[ref.slice(COMPONENTS.length)], "description");
}

/** The member of a union of blocks, by the field that tells them apart. */
function memberName(member: JsonObject): string {
  for (const [name, field] of Object.entries(objectAt(member, "properties") ?? {})) {
    if (!isObject(field)) continue;
    const values = "const" in field ? [field["const"]] : field["enum"];
    if (Array.isArray(values)) return `${name}=${values.join(", ")}`;
  }
  return "object";
}

function membersOf(schema: JsonObject | undefined): readonly JsonObject[] {
  const members = schema?.["oneOf"] ?? schema?.["anyOf"];
  return Array.isArray(members) ? members.filter(isObject) : [];
}

/** Returns the type of a field in words. */
function typeOf(schema: JsonObject): string {
  const ref = stringAt(schema, "$ref");
  if (ref !== undefined) return `REF:${ref.slice(COMPONENTS.length)}`;
  if ("const" in schema) return `\`${JSON.stringify(schema["const"])}\``;
  const { enum: values, type } = schema;
  if (Array.isArray(values)) return values.map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  const members = membersOf(schema);
  if (members.length > 0) {
    if (members.every((member) => "properties" in member))
      return members.length === 1 ? "object" : `one of ${members.length} objects`;
    return members.map(typeOf).join(" or ");
  }
  const pattern = stringAt(schema, "pattern");
  const id = pattern === undefined ? undefined : /^\^([a-z]+)_/.exec(pattern)?.[1];
  if (id !== undefined) return `id \`${id}_…\``;
  if (type === "array") return `list of ${typeOf(objectAt(schema, "items") ?? {})}`;
  if (type === "object") {
    const values_ = objectAt(schema, "additionalProperties");
    return "properties" in schema || values_ === undefined ? "object" : `object of ${typeOf(values_)}`;
  }
  return typeof type === "string" ? type : "any";
}
