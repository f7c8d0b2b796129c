import { isObject, parseJson } from "../../../base/json.ts";
import { byteLength, head } from "../../../base/text/text.ts";
import type { HeadProblem, YamlHead } from "../../../base/text/yaml-head.ts";
import type { Memory, MemoryType } from "../memory.ts";
import {
  CONTENT_BYTES_MAX,
  isIndexName,
  MEMORY_DESCRIPTION_CHARACTERS_MAX,
  MEMORY_NAME,
  MEMORY_TYPES,
  TAG_CHARACTERS_MAX,
  TAGS_MAX,
} from "../memory.ts";

/** The result of parsing a file. `ignoredFields` lists what was ignored in a valid file. */
export type ParsedMemory =
  | { readonly kind: "memory"; readonly memory: Memory; readonly ignoredFields: readonly HeadProblem[] }
  | ({ readonly kind: "problem" } & HeadProblem);

/** Reads YAML. Loaded only for files in a form that cinch itself does not write. */
export type ReadYaml = (source: string) => Promise<YamlHead>;

export interface MemoryFileInfo {
  /** The file's name without `.md`, which is the memory's name. */
  readonly stem: string;
  /** The type for a file that states none. */
  readonly type: MemoryType;
}

/** Memories need no longer heads, and YAML takes more than linear time. */
const HEAD_CHARACTERS_MAX = 4_096;

/**
 * Parses one memory file: a head between lines of `---`, then Markdown ([A] § Memory).
 *
 * Manual edits are accepted: any line ends, a byte order mark, additional keys, a head without type or description.
 * Never throws, and takes time in proportion to the text (REL-06).
 */
export async function parseMemory(
  text: string,
  place: MemoryFileInfo,
  yaml: ReadYaml,
): Promise<ParsedMemory> {
  if (!MEMORY_NAME.test(place.stem) || isIndexName(place.stem)) {
    return problem(1, "the file's name must be 1 to 64 letters, digits, - and _, and .md");
  }
  const lines = text
    .replace(/^\ufeff/, "")
    .replaceAll(/\r\n?/g, "\n")
    .split("\n");
  if (!/^---[ \t]*$/.test(lines[0] ?? "")) return problem(1, "it does not begin with a line of ---");
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line));
  if (end === -1) return problem(1, "the head that begins here is not closed by a line of ---");
  const source = lines.slice(1, end).join("\n");
  if (source.length > HEAD_CHARACTERS_MAX)
    return problem(1, `its head has more than ${HEAD_CHARACTERS_MAX} characters`);
  const ownForm = parseOwnForm(source);
  const front = ownForm ?? (await yaml(source));
  if (front.kind === "problem") return problem(front.line + 1, front.problem);
  const content = lines
    .slice(end + 1)
    .join("\n")
    .trim();
  return memoryOf(front, content, { ...place, line: end + 2 });
}

/** Renders a memory's file. `parseMemory` returns the same memory. */
export function renderMemory({ name, type, description, tags, content }: Memory): string {
  return [
    "---",
    `name: ${isPlain(name) ? name : JSON.stringify(name)}`,
    `description: ${JSON.stringify(description)}`,
    "metadata:",
    `  type: ${type}`,
    ...(tags.length === 0 ? [] : [`  tags: ${JSON.stringify(tags)}`]),
    "---",
    content,
    "",
  ].join("\n");
}

function memoryOf(
  { value, lineOf }: Extract<YamlHead, { kind: "value" }>,
  content: string,
  place: MemoryFileInfo & { readonly line: number },
): ParsedMemory {
  const at = (key: string) => lineOf(key) + 1;
  if (value !== null && value !== undefined && !isObject(value))
    return problem(2, "its head is not a list of keys and values");
  const table = isObject(value) ? value : {};
  const metadata = isObject(table["metadata"]) ? table["metadata"] : {};
  const { name, description } = table;
  const type = metadata["type"] ?? table["type"] ?? place.type;
  const known = MEMORY_TYPES.find((one) => one === type);
  if (known === undefined) return problem(at("type"), `type must be one of ${MEMORY_TYPES.join(", ")}`);
  if (description !== undefined && description !== null && typeof description !== "string")
    return problem(at("description"), "description must be a text");
  if (byteLength(content) > CONTENT_BYTES_MAX)
    return problem(place.line, `it has more than ${CONTENT_BYTES_MAX} bytes`);
  const tags = tagsOf(metadata["tags"] ?? table["tags"]);
  if (tags === undefined) return problem(at("tags"), "tags must be a list of words");
  const line = descriptionLine(description ?? "");
  const ignoredFields =
    name === undefined || name === place.stem
      ? []
      : [{ line: at("name"), problem: `its name differs from the file's; it goes by ${place.stem}` }];
  const descriptionText = line === "" ? descriptionLine(content.split("\n", 1)[0] ?? "") : line;
  return {
    kind: "memory",
    memory: { name: place.stem, type: known, description: descriptionText, tags, content },
    ignoredFields,
  };
}

/** Reads the tags; undefined if they are invalid. Too many or too long ones are dropped. */
function tagsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  const list = typeof value === "string" ? value.split(",") : value;
  if (!Array.isArray(list)) return undefined;
  const words = list.filter((tag) => typeof tag === "string" || typeof tag === "number").map(String);
  if (words.length !== list.length) return undefined;
  return words
    .map((tag) => descriptionLine(tag.toWellFormed()))
    .filter((tag) => tag !== "" && tag.length <= TAG_CHARACTERS_MAX)
    .slice(0, TAGS_MAX);
}

/** Reduces a text to one line with single spaces, cut to the length of a description. */
export function descriptionLine(text: string): string {
  return head(text.toWellFormed().replaceAll(/\s+/g, " ").trim(), MEMORY_DESCRIPTION_CHARACTERS_MAX).trim();
}

/** Parses a head in exactly the form that `renderMemory` writes, without loading YAML; undefined for any other form. */
function parseOwnForm(source: string): Extract<YamlHead, { kind: "value" }> | undefined {
  const form =
    /^name: ([A-Za-z0-9_-]+)\ndescription: ("[^\n]*")\nmetadata:\n {2}type: ([a-z]+)(?:\n {2}tags: (\[[^\n]*\]))?$/;
  const [, name, quoted = "", type, list] = form.exec(source) ?? [];
  const description = jsonString(quoted);
  const tags = list === undefined ? [] : parseJson(list)?.value;
  if (name === undefined || !isPlain(name)) return undefined;
  if (description === undefined || !Array.isArray(tags)) return undefined;
  if (!tags.every((tag) => typeof tag === "string")) return undefined;
  const lines = { name: 1, description: 2, type: 4, tags: 5 };
  return {
    kind: "value",
    value: { name, description, metadata: { type, ...(list === undefined ? {} : { tags }) } },
    lineOf: (key) => (Object.hasOwn(lines, key) ? lines[key as keyof typeof lines] : 1),
  };
}

/** Returns true if YAML reads an unquoted name as text. */
function isPlain(name: string): boolean {
  return /^[A-Za-z]/.test(name) && !/^(?:null|true|false)$/i.test(name);
}

function jsonString(text: string): string | undefined {
  const value = parseJson(text)?.value;
  return typeof value === "string" ? value : undefined;
}

function problem(line: number, text: string): ParsedMemory {
  return { kind: "problem", line, problem: text };
}
