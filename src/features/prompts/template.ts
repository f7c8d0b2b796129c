import { basename } from "node:path";
import { defined } from "../../base/defined.ts";
import { decodeWrittenText } from "../../base/files/written-text.ts";
import { isObject, stringAt } from "../../base/json.ts";
import { NOT_CLOSED, splitFrontMatter } from "../../base/text/front-matter.ts";
import { HEAD_CHARACTERS_MAX, readMarkdownHead } from "../../base/text/markdown-head.ts";
import { head } from "../../base/text/text.ts";

/** A prompt with placeholders for words, from a Markdown file of the user or of a project (CTX-03). */
export interface PromptTemplate {
  /** The file's name without its extension. */
  readonly name: string;
  readonly source: "user" | "project";
  /** Its purpose in one line. Default: the first line of its text. */
  readonly description: string;
  /** The expected words, for help texts: "FILE [DEPTH]". */
  readonly argumentHint?: string;
  readonly text: string;
}

export type TemplateResult =
  | {
      readonly kind: "template";
      readonly template: PromptTemplate;
      readonly ignoredFields: readonly string[];
    }
  | { readonly kind: "problem"; readonly problem: string };

const TEXT_CHARACTERS_MAX = 100_000;
const DESCRIPTION_CHARACTERS_MAX = 250;
const NAME = /^[a-z0-9](?:[a-z0-9_-]{0,62}[a-z0-9])?$/;
/** Fields of the format's other readers. They have no effect here and cause no warning. */
const FOREIGN_FIELDS = new Set(["name", "model", "allowed-tools", "agent", "mode", "tools", "subtask"]);

export interface TemplateFile {
  readonly path: string;
  readonly source: PromptTemplate["source"];
  readonly bytes: Uint8Array;
}

/** Reads a template. Never throws; a problem names file, line and field. */
export async function readTemplate({ path, source, bytes }: TemplateFile): Promise<TemplateResult> {
  const name = templateName(path);
  if (!NAME.test(name))
    return problem(`${path}: the file's name is not a name for a prompt: small letters, digits, - and _`);
  const written = decodeWrittenText(bytes);
  if (written.kind === "problem") return problem(`${path}:${written.line}: ${written.problem}`);
  const parts = splitFrontMatter(written.text);
  if (parts.kind === "open") return problem(`${path}:1: ${NOT_CLOSED}`);
  const { body: text } = parts;
  if (text === "") return problem(`${path}: it has no text`);
  if (text.length > TEXT_CHARACTERS_MAX)
    return problem(`${path}: its text has more than ${TEXT_CHARACTERS_MAX} characters`);
  const fields = await fieldsOf(parts.kind === "parts" ? parts.head : [], path);
  if (fields.kind === "problem") return fields;
  const { description = firstLine(text), argumentHint, ignoredFields } = fields;
  return {
    kind: "template",
    ignoredFields,
    template: {
      name,
      source,
      description: head(description.replaceAll(/\s+/g, " ").trim(), DESCRIPTION_CHARACTERS_MAX),
      ...(argumentHint === undefined ? {} : { argumentHint: head(argumentHint, DESCRIPTION_CHARACTERS_MAX) }),
      text,
    },
  };
}

/** Returns the name of the prompt in a file. */
export function templateName(path: string): string {
  return basename(path).replace(/\.md$/i, "").toLowerCase();
}

interface Fields {
  readonly kind: "fields";
  readonly description?: string;
  readonly argumentHint?: string;
  readonly ignoredFields: readonly string[];
}

async function fieldsOf(
  lines: readonly string[],
  path: string,
): Promise<Fields | Extract<TemplateResult, { kind: "problem" }>> {
  const source = lines.join("\n");
  if (source.trim() === "") return { kind: "fields", ignoredFields: [] };
  if (source.length > HEAD_CHARACTERS_MAX)
    return problem(`${path}:1: its head has more than ${HEAD_CHARACTERS_MAX} characters`);
  const read = await readMarkdownHead(lines);
  if (read.kind === "problem") return problem(`${path}:${read.line + 1}: ${read.problem}`);
  if (!isObject(read.value)) return problem(`${path}:2: its head is not a list of fields`);
  const at = (key: string) => `${path}:${read.lineOf(key) + 1}: ${key}`;
  for (const key of ["description", "argument-hint"]) {
    const value = read.value[key];
    if (value !== undefined && value !== null && typeof value !== "string")
      return problem(`${at(key)}: must be a text`);
  }
  const unknown = Object.keys(read.value).filter(
    (key) => key !== "description" && key !== "argument-hint" && !FOREIGN_FIELDS.has(key),
  );
  const description = stringAt(read.value, "description");
  const argumentHint = stringAt(read.value, "argument-hint");
  return {
    kind: "fields",
    ...(description === undefined || description.trim() === "" ? {} : { description }),
    ...defined({ argumentHint }),
    ignoredFields: unknown.map((key) => `${at(key)}: unknown field; it has no effect`),
  };
}

function firstLine(text: string): string {
  return text.split("\n").find((line) => line.trim() !== "") ?? "";
}

function problem(text: string): Extract<TemplateResult, { kind: "problem" }> {
  return { kind: "problem", problem: text };
}
