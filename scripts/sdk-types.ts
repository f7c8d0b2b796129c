import type { JsonObject, JsonSchema } from "../src/base/json.ts";
import { isObject } from "../src/base/json.ts";

/**
 * The protocol's types in the languages of the SDKs, made of the schemas of the OpenAPI document.
 *
 * Each schema there becomes one named type. What a schema says beyond the shape (patterns, limits) is the engine's
 * to hold.
 */
export interface WireTypes {
  readonly version: string;
  /** By name, in the order in which they are written. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly reasons: readonly string[];
  /** Kinds of the commands whose answer has a result. */
  readonly results: readonly string[];
  readonly queries: readonly QueryType[];
}

/** A query: the names of the schemas of its fields and its answer, and its address. */
export interface QueryType {
  readonly kind: string;
  readonly params: string;
  readonly result: string;
  readonly route: JsonObject;
}

const HEADER = "Made from the protocol's schemas by `npm run generate`. Changes here are lost.";
const WIDTH = 110;

/** Types of ids by their prefix. */
const IDS: Readonly<Record<string, string>> = {
  sess: "SessionId",
  log: "LogId",
  call: "CallId",
  tok: "TokenId",
  cli: "ClientId",
  ask: "AskId",
  inp: "InputId",
  task: "TaskId",
};

export function typescriptTypes({ version, schemas, reasons, results, queries }: WireTypes): string {
  const parts = [
    `// ${HEADER}`,
    `export const PROTOCOL_VERSION = ${JSON.stringify(version)};`,
    `/** The kinds of event that this version knows; others are passed over. */\nexport const EVENT_KINDS = ${listed(eventKinds(schemas))} as const;`,
    "/** Position of an event in its log: 1, 2, 3 … without gaps over all runs of it. */\nexport type EventSeq = number;",
    ...Object.entries(IDS).map(([prefix, name]) => `export type ${name} = \`${prefix}_\${string}\`;`),
    ...Object.entries(schemas).map(([name, schema]) =>
      schema["type"] === "object" && isObject(schema["properties"])
        ? `${docComment(schema, "")}export interface ${name} ${typescriptOf(schema, "")}`
        : `${docComment(schema, "")}export type ${name} =${spaced(typescriptOf(schema, ""))};`,
    ),
    'export type EventKind = Envelope["kind"];',
    "export type EnvelopeOf<Kind extends EventKind> = Extract<Envelope, { readonly kind: Kind }>;",
    'export type CommandKind = Command["kind"];',
    `/** \`result\` of the answer to each command that has one. */\nexport interface CommandResults {\n${results.map((kind) => `  readonly ${kind}: ${kind}Result;`).join("\n")}\n}`,
    `/** Fields and answer of each query. */\nexport interface Queries {\n${queries.map(({ kind, params, result }) => `  readonly ${kind}: { readonly params: ${params}; readonly result: ${result} };`).join("\n")}\n}`,
    `/** Address of each query. */\nexport const QUERY_ROUTES: Readonly<Record<keyof Queries, QueryRoute>> = ${JSON.stringify(Object.fromEntries(queries.map(({ kind, route }) => [kind, route])), null, 2)};`,
    "/** `{id}` in a path is `sessionId`; `{name}` the field that `name` says, else `name`. */\nexport interface QueryRoute {\n  readonly method?: string;\n  readonly path: string;\n  readonly ofSession?: string;\n  readonly name?: string;\n}",
    "/** Reasons of an engine's refusals. */",
  ];
  return `${parts.join("\n\n")}\nexport type EngineReason =${reasons.map((each) => `\n  | ${JSON.stringify(each)}`).join("")};\n`;
}

function spaced(text: string): string {
  return text.startsWith("\n") ? text : ` ${text}`;
}

function typescriptOf(schema: JsonSchema, indent: string): string {
  const union = unionOf(schema);
  if (union !== undefined) {
    const each = union.map((option) => typescriptOf(option, `${indent}    `));
    const line = each.join(" | ");
    if (!line.includes("\n") && line.length + indent.length < WIDTH) return line;
    return each.map((text) => `\n${indent}  | ${text}`).join("");
  }
  const simple = simpleOf(schema);
  switch (simple.kind) {
    case "ref":
      return simple.name;
    case "values":
      return simple.values.map((value) => JSON.stringify(value)).join(" | ");
    case "array": {
      const item = typescriptOf(simple.items, indent);
      return /[|\n]|^readonly /.test(item) ? `ReadonlyArray<${item}>` : `readonly ${item}[]`;
    }
    case "map":
      return `Readonly<Record<string, ${typescriptOf(simple.values, indent)}>>`;
    case "object": {
      const inner = `${indent}  `;
      const fields = simple.fields.map(
        ({ name, schema: field, isRequired }) =>
          `${docComment(field, inner)}${inner}readonly ${name}${isRequired ? "" : "?"}:${spaced(typescriptOf(field, inner))};`,
      );
      return `{\n${fields.join("\n")}\n${indent}}`;
    }
    case "scalar":
      return { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" }[
        simple.name
      ];
    case "id":
      return simple.name;
    case "any":
      return "unknown";
  }
}

/** Returns the description of a schema as a doc comment with its line end; empty if there is none. */
function docComment(schema: JsonSchema, indent: string): string {
  const lines = descriptionLines(schema, WIDTH - indent.length).map((line) => line.replaceAll("*/", "*\\/"));
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join("")}${indent} */\n`;
}

/** Returns the description of a schema in lines of about so many characters. */
function descriptionLines(schema: JsonSchema, width: number): readonly string[] {
  const { description } = schema;
  if (typeof description !== "string") return [];
  return description.split("\n").flatMap((paragraph) => linesOf(paragraph, width));
}

/** Returns a paragraph in lines; the last one has at least two words, if there are two. */
function linesOf(paragraph: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of paragraph.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  const [before, last] = [lines.at(-2), lines.at(-1)];
  if (before === undefined || last === undefined || last.includes(" ")) return lines;
  const space = before.lastIndexOf(" ");
  return [...lines.slice(0, -2), before.slice(0, space), `${before.slice(space + 1)} ${last}`];
}

/** TypedDicts that Python 3.9 can read: required keys in one class, the others in one that is made of it. */
export function pythonTypes({ version, schemas, reasons, queries }: WireTypes): string {
  const blocks: string[] = [];
  const kinds = eventKinds(schemas);
  for (const [name, schema] of namedFirst(schemas)) {
    const text = pythonOf(schema, name, blocks);
    if (text !== name) blocks.push(`${name} = ${text}\n`);
  }
  return [
    `# ${HEADER}`,
    '"""The protocol\'s types: what an engine sends and takes, as it stands in its JSON."""',
    "from typing import Any, Dict, List, Literal, TypedDict, Union\n",
    `PROTOCOL_VERSION = ${JSON.stringify(version)}\n`,
    `# The kinds of event that this version knows; others are passed over.\nEVENT_KINDS = frozenset(${listed(kinds)})\n`,
    ...Object.values(IDS).map((name) => `${name} = str`),
    "",
    ...blocks.map((block) => `\n${block}`),
    `\n# Address of each query: {id} in a path is sessionId; {name} the field that "name" says, else name.\nQUERY_ROUTES: Dict[str, Dict[str, str]] = ${JSON.stringify(Object.fromEntries(queries.map(({ kind, route }) => [kind, route])), null, 4)}\n`,
    `\nEngineReason = Literal[\n${reasons.map((each) => `    ${JSON.stringify(each)},`).join("\n")}\n]`,
    "",
  ].join("\n");
}

/** Each behind those that it names: Python reads from top to bottom. */
function namedFirst(schemas: WireTypes["schemas"]): ReadonlyMap<string, JsonSchema> {
  const sorted = new Map<string, JsonSchema>();
  const put = (name: string) => {
    const schema = schemas[name];
    if (schema === undefined || sorted.has(name)) return;
    for (const [, other = ""] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g))
      put(other);
    sorted.set(name, schema);
  };
  for (const name of Object.keys(schemas)) put(name);
  return sorted;
}

/** The type of a schema; what needs a class of its own is put into `blocks` under `name`. */
function pythonOf(schema: JsonSchema, name: string, blocks: string[]): string {
  const union = unionOf(schema);
  if (union !== undefined) {
    const each = union.map((option, at) => pythonOf(option, `${name}${variant(option) ?? at + 1}`, blocks));
    const line = `Union[${each.join(", ")}]`;
    return line.length < WIDTH / 2 ? line : `Union[\n${each.map((text) => `    ${text},`).join("\n")}\n]`;
  }
  const simple = simpleOf(schema);
  switch (simple.kind) {
    case "ref":
    case "id":
      return simple.name;
    case "values":
      return `Literal[${simple.values.map((value) => pythonValue(value)).join(", ")}]`;
    case "array":
      return `List[${pythonOf(simple.items, `${name}Item`, blocks)}]`;
    case "map":
      return `Dict[str, ${pythonOf(simple.values, `${name}Value`, blocks)}]`;
    case "object":
      blocks.push(pythonClass(name, simple.fields, blocks));
      return name;
    case "scalar":
      return { string: "str", integer: "int", number: "float", boolean: "bool", null: "None" }[simple.name];
    case "any":
      return "Any";
  }
}

/**
 * Returns the definition of a TypedDict. Fields that a class body cannot declare, such as `from`, go into the
 * functional form, `TypedDict("Name", {"from": str})`.
 */
function pythonClass(name: string, fields: readonly Field[], blocks: string[]): string {
  const typed = fields.map((field) => ({
    ...field,
    about: descriptionLines(field.schema, WIDTH),
    type: pythonOf(field.schema, `${name}${capital(field.name)}`, blocks),
  }));
  const required = typed.filter((each) => each.isRequired);
  const optional = typed.filter((each) => !each.isRequired);
  if (optional.length === 0) return typedDict(name, required);
  if (required.length === 0) return typedDict(name, optional, ", total=False");
  const requiredName = `_${name}Required`;
  const first = functionalTypedDict(requiredName, required);
  if (optional.every(isClassField))
    return `${first}\n\n${classTypedDict(name, `${requiredName}, total=False`, optional)}`;
  const optionalName = `_${name}Optional`;
  const second = functionalTypedDict(optionalName, optional, ", total=False");
  return `${first}\n\n${second}\n\n${classTypedDict(name, `${requiredName}, ${optionalName}`, [])}`;
}

/** Returns a description as comments of a field, with their line ends. */
function pythonComment(lines: readonly string[]): string {
  return lines.map((line) => `    # ${line}\n`).join("");
}

interface TypedField {
  readonly about: readonly string[];
  readonly name: string;
  readonly type: string;
}

function typedDict(name: string, fields: readonly TypedField[], total = ""): string {
  return fields.every(isClassField)
    ? classTypedDict(name, `TypedDict${total}`, fields)
    : functionalTypedDict(name, fields, total);
}

function functionalTypedDict(name: string, fields: readonly TypedField[], total = ""): string {
  const keys = fields
    .map((each) => `${pythonComment(each.about)}    ${JSON.stringify(each.name)}: ${each.type},`)
    .join("\n");
  return `${name} = TypedDict(${JSON.stringify(name)}, {\n${keys}\n}${total})\n`;
}

function classTypedDict(name: string, bases: string, fields: readonly TypedField[]): string {
  const lines = fields.map((each) => `${pythonComment(each.about)}    ${each.name}: ${each.type}`);
  return `class ${name}(${bases}):\n${lines.length === 0 ? "    pass" : lines.join("\n")}\n`;
}

/** Returns true if the body of a class can declare the field. Python changes names that begin with two underscores. */
function isClassField({ name }: TypedField): boolean {
  return /^(?!__)[A-Za-z_]\w*$/.test(name) && !PYTHON_KEYWORDS.has(name);
}

/** Python's `keyword.kwlist`. */
const PYTHON_KEYWORDS: ReadonlySet<string> = new Set([
  ...["False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def"],
  ...[
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
  ],
  ...["nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"],
]);

function pythonValue(value: unknown): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null ? "None" : JSON.stringify(value);
}

/** Returns the name of an option of a union. */
function variant(schema: JsonSchema): string | undefined {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  for (const key of ["type", "kind"]) {
    const property = properties[key];
    if (isObject(property) && typeof property["const"] === "string") return capital(property["const"]);
  }
  return undefined;
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

type Simple =
  | { readonly kind: "ref" | "id"; readonly name: string }
  | { readonly kind: "values"; readonly values: readonly unknown[] }
  | { readonly kind: "array"; readonly items: JsonSchema }
  | { readonly kind: "map"; readonly values: JsonSchema }
  | { readonly kind: "object"; readonly fields: readonly Field[] }
  | { readonly kind: "scalar"; readonly name: Scalar }
  | { readonly kind: "any" };

const SCALARS = ["string", "integer", "number", "boolean", "null"] as const;
type Scalar = (typeof SCALARS)[number];

function unionOf(schema: JsonSchema): readonly JsonSchema[] | undefined {
  const options = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(options)) return options;
  const { type } = schema;
  return Array.isArray(type) ? type.map((each) => ({ ...schema, type: each })) : undefined;
}

/** @throws Error for a schema that neither language could be given a type of. */
function simpleOf(schema: JsonSchema): Simple {
  const { $ref, type, pattern, properties, additionalProperties, items } = schema;
  if (typeof $ref === "string") return { kind: "ref", name: $ref.slice($ref.lastIndexOf("/") + 1) };
  if ("const" in schema) return { kind: "values", values: [schema["const"]] };
  if (Array.isArray(schema["enum"])) return { kind: "values", values: schema["enum"] };
  const id = typeof pattern === "string" ? IDS[/^\^([a-z]+)_/.exec(pattern)?.[1] ?? ""] : undefined;
  if (id !== undefined) return { kind: "id", name: id };
  const scalar = SCALARS.find((each) => each === type);
  if (scalar !== undefined) return { kind: "scalar", name: scalar };
  if (type === "array") return { kind: "array", items: isObject(items) ? items : {} };
  if (isObject(properties)) return { kind: "object", fields: fieldsOf(properties, schema["required"]) };
  if (type === "object")
    return { kind: "map", values: isObject(additionalProperties) ? additionalProperties : {} };
  if (type === undefined) return { kind: "any" };
  throw new Error(`no type can be made of ${JSON.stringify(schema)}`);
}

function fieldsOf(properties: JsonObject, required: unknown): readonly Field[] {
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: isObject(schema) ? schema : {},
    isRequired: needed.includes(name),
  }));
}

function eventKinds(schemas: WireTypes["schemas"]): readonly string[] {
  return Object.values(schemas).flatMap((schema) => {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    const { kind, payload } = properties;
    return isObject(kind) && typeof kind["const"] === "string" && payload !== undefined && "id" in properties
      ? [kind["const"]]
      : [];
  });
}

function listed(values: readonly string[]): string {
  return `[\n${values.map((value) => `  ${JSON.stringify(value)},`).join("\n")}\n]`;
}

function capital(text: string): string {
  return text
    .split("_")
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}
