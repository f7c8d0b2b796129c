import { arrayAt, canonicalJson, isObject, objectAt } from "../../src/base/json.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Reader of a schema: servers read input of older clients; clients read output of newer servers. */
export type Reader = "server" | "client";

/**
 * Returns changes that break users of an older schema, each as its place and what became of it. Fields and kinds that
 * came are no such thing; nor are values that a server takes beside those that it took.
 */
export function breakingChanges(older: unknown, newer: unknown, reader: Reader): readonly string[] {
  return [...changesAt("", asSchema(older), asSchema(newer), reader)];
}

function* changesAt(at: string, older: Schema, newer: Schema, reader: Reader): Generator<string> {
  const [before, after] = [variants(older), variants(newer)];
  if (before !== undefined || after !== undefined) {
    for (const [name, variant] of before ?? [[keyOf(older) ?? "", older] as const]) {
      const same = after?.get(name);
      if (same === undefined) yield `${at}${name}: gone`;
      else yield* changesAt(`${at}${name}`, variant, same, reader);
    }
    return;
  }
  for (const key of ["type", "const", "pattern", "format", "additionalProperties"] as const) {
    if (isObject(older[key])) continue;
    if (older[key] !== undefined || (reader === "server" && key !== "additionalProperties"))
      if (canonicalJson(older[key]) !== canonicalJson(newer[key]) && newer[key] !== undefined)
        yield `${at}: other ${key}`;
    if (older[key] !== undefined && newer[key] === undefined && reader === "client")
      yield `${at}: no ${key} any more`;
  }
  yield* limitsAt(at, older, newer, reader);
  yield* valuesAt(at, older, newer, reader);
  yield* fieldsAt(at, older, newer, reader);
  for (const key of ["items", "additionalProperties"] as const) {
    const [inner, other] = [objectAt(older, key), objectAt(newer, key)];
    if (inner !== undefined && other !== undefined) yield* changesAt(`${at}[]`, inner, other, reader);
  }
}

/** Compares limits: a server must accept at least as much as before, a client must get no more than promised. */
function* limitsAt(at: string, older: Schema, newer: Schema, reader: Reader): Generator<string> {
  const [wide, narrow] = reader === "server" ? [newer, older] : [older, newer];
  for (const [key, sign] of LIMITS) {
    const [allowed, wanted] = [wide[key], narrow[key]];
    if (typeof allowed !== "number") continue;
    if (typeof wanted !== "number" || (wanted - allowed) * sign < 0) yield `${at}: other ${key}`;
  }
}

const LIMITS = [
  ["minimum", 1],
  ["minLength", 1],
  ["minItems", 1],
  ["maximum", -1],
  ["maxLength", -1],
  ["maxItems", -1],
] as const;

function* valuesAt(at: string, older: Schema, newer: Schema, reader: Reader): Generator<string> {
  const [before, after] = [valuesOf(older), valuesOf(newer)];
  if (before === undefined && after === undefined) return;
  if (before === undefined || after === undefined) {
    if ((before === undefined) === (reader === "server")) yield `${at}: other values`;
    return;
  }
  for (const value of before) if (!after.includes(value)) yield `${at}: the value ${value} is gone`;
  if (reader === "client")
    for (const value of after) if (!before.includes(value)) yield `${at}: the value ${value} is new`;
}

function* fieldsAt(at: string, older: Schema, newer: Schema, reader: Reader): Generator<string> {
  const [before, after] = [objectAt(older, "properties") ?? {}, objectAt(newer, "properties") ?? {}];
  const [needed, needs] = [arrayAt(older, "required"), arrayAt(newer, "required")];
  for (const [name, field] of Object.entries(before)) {
    const same = after[name];
    if (same === undefined) yield `${at}.${name}: gone`;
    else yield* changesAt(`${at}.${name}`, asSchema(field), asSchema(same), reader);
  }
  for (const name of needs) if (!needed.includes(name)) yield `${at}.${String(name)}: required now`;
  if (reader === "server") return;
  for (const name of needed)
    if (!needs.includes(name) && String(name) in after)
      yield `${at}.${String(name)}: not always there any more`;
}

/** The alternatives of a union by what tells them apart; undefined where it is none. */
function variants(schema: Schema): ReadonlyMap<string, Schema> | undefined {
  const all = [...arrayAt(schema, "oneOf"), ...arrayAt(schema, "anyOf")].map(asSchema);
  if (all.length === 0) return undefined;
  return new Map(all.map((each, at) => [keyOf(each) ?? `(${at})`, each]));
}

function keyOf(schema: Schema): string | undefined {
  const fields = objectAt(schema, "properties") ?? {};
  const told = [fields["kind"], fields["type"]].map((field) => asSchema(field)["const"]);
  const name = told.find((value) => typeof value === "string") ?? schema["type"];
  return typeof name === "string" ? name : undefined;
}

function valuesOf(schema: Schema): readonly string[] | undefined {
  const values = schema["enum"];
  return Array.isArray(values) ? values.map(String) : undefined;
}

function asSchema(value: unknown): Schema {
  return isObject(value) ? value : {};
}

/** Names of fields, deep down, that are kept for others or never to be on a wire. */
export function reservedNames(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(reservedNames);
  if (!isObject(schema)) return [];
  const own = Object.keys(objectAt(schema, "properties") ?? {}).filter((name) => /^(?:_|x_)/.test(name));
  return [...own, ...Object.values(schema).flatMap(reservedNames)];
}
