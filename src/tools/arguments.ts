import { isObject } from "../base/json.ts";
import { shortened } from "../base/text/text.ts";
import type { Aliases, Tool } from "./tool.ts";

/** Names that models use for the path of a file. */
export const FILE_PATH: Aliases = { path: "file_path", file: "file_path", filename: "file_path" };

/**
 * Inputs that a schema accepts. The schema is plain data, written `as const`; other keywords do not change the type.
 */
export type InputOf<Schema> = Schema extends { readonly enum: readonly (infer Value)[] }
  ? Value
  : Schema extends { readonly type: "string" }
    ? string
    : Schema extends { readonly type: "integer" | "number" }
      ? number
      : Schema extends { readonly type: "boolean" }
        ? boolean
        : Schema extends { readonly type: "array"; readonly items: infer Items }
          ? readonly InputOf<Items>[]
          : Schema extends { readonly properties: infer Properties }
            ? Fields<Properties, RequiredIn<Schema>>
            : unknown;

type Fields<Properties, Required> = {
  readonly [Name in Extract<keyof Properties, Required>]: InputOf<Properties[Name]>;
} & { readonly [Name in Exclude<keyof Properties, Required>]?: InputOf<Properties[Name]> };

type RequiredIn<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

const IGNORED_MAX = 5;
const NAME_CHARACTERS_MAX = 40;

export interface ReadArguments {
  readonly input: unknown;
  /** Sentences for the model: ignored arguments, and values that were converted. */
  readonly notes: readonly string[];
}

/**
 * Maps the arguments of a call to the tool's own names, by its aliases and by spelling (`filePath` for `file_path`).
 * An argument that is also given under its own name is not replaced. Unknown arguments stay and are named in a note.
 *
 * The input of a tool without `aliases` is unchanged: the tool may accept more than its schema lists.
 */
export function readArguments({ aliases, inputSchema }: Tool, input: unknown): ReadArguments {
  const { properties } = inputSchema;
  if (aliases === undefined || !isObject(input) || !isObject(properties)) return { input, notes: [] };
  const known = Object.keys(properties);
  if (Object.keys(input).every((name) => known.includes(name))) return { input, notes: [] };
  const bySpelling = new Map(known.map((name) => [bare(name), name]));
  const read = new Map(Object.entries(input).filter(([name]) => known.includes(name)));
  const ignored: string[] = [];
  const notes: string[] = [];
  for (const [name, value] of Object.entries(input)) {
    if (known.includes(name)) continue;
    const alias = Object.hasOwn(aliases, name) ? aliases[name] : bySpelling.get(bare(name));
    const argument = typeof alias === "object" ? alias.argument : alias;
    if (argument === undefined || read.has(argument)) {
      ignored.push(name);
      continue;
    }
    const resolved = typeof alias === "object" ? alias.read(value) : value;
    read.set(argument, resolved);
    if (resolved !== value)
      notes.push(
        `The argument ${quoted(name)} was read as ${argument}: ${shortened(JSON.stringify(resolved) ?? "nothing", NAME_CHARACTERS_MAX)}.`,
      );
  }
  if (ignored.length > 0) notes.push(ignoredText(ignored, known));
  return { input: Object.fromEntries(read), notes };
}

function ignoredText(ignored: readonly string[], known: readonly string[]): string {
  const names = ignored.slice(0, IGNORED_MAX).map(quoted).join(", ");
  const more = ignored.length > IGNORED_MAX ? ` and ${ignored.length - IGNORED_MAX} more` : "";
  const what = ignored.length === 1 ? "argument" : "arguments";
  return `Ignored unknown ${what} ${names}${more}; known: ${known.join(", ")}.`;
}

function quoted(name: string): string {
  return `'${shortened(name, NAME_CHARACTERS_MAX).toWellFormed()}'`;
}

/** Removes the differences between spellings from a name. */
function bare(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}
