import { isObject, parseJson } from "../../../base/json.ts";
import { byteLength, head } from "../../../base/text/text.ts";
import type { HeadProblem, YamlHead } from "../../../base/text/yaml-head.ts";
import type { Memory, MemoryType } from "../memory.ts";
import {
  CONTENT_BYTES_MAX,
  DESCRIPTION_CHARACTERS_MAX,
  isIndexName,
  MEMORY_TYPES,
  NAME,
  TAG_CHARACTERS_MAX,
  TAGS_MAX,
} from "../memory.ts";

/** What a file said; `told` are sentences about what was passed over in a file that is good all the same. */
export type ParsedMemory =
  | { readonly kind: "memory"; readonly memory: Memory; readonly told: readonly HeadProblem[] }
  | ({ readonly kind: "problem" } & HeadProblem);

/** Reads YAML. Loaded where a file has a form that cinch itself does not write. */
export type ReadYaml = (source: string) => Promise<YamlHead>;

export interface MemoryPlace {
  /** The file's name less `.md`: what the memory goes by. */
  readonly stem: string;
  /** For a file that does not say. */
  readonly type: MemoryType;
}

/** Longer heads are nobody's, and YAML takes more than linear time. */
const HEAD_CHARACTERS_MAX = 4_096;

/**
 * Reads one memory file: a head between lines of `---`, then Markdown ([A] § Memory).
 *
 * What people do to files is put up with: line ends of any kind, a byte order mark, further keys, a head without type or
 * description. Never throws, whatever the text is, and takes time in proportion to it (REL-06).
 */
export async function parseMemory(text: string, place: MemoryPlace, yaml: ReadYaml): Promise<ParsedMemory> {
  if (!NAME.test(place.stem) || isIndexName(place.stem)) {
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
  const own = ownForm(source);
  const front = own ?? (await yaml(source));
  if (front.kind === "problem") return problem(front.line + 1, front.problem);
  const content = lines
    .slice(end + 1)
    .join("\n")
    .trim();
  return memoryOf(front, content, { ...place, line: end + 2 });
}

/** The text of a memory's file: `parseMemory` gives the same memory again. */
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
  place: MemoryPlace & { readonly line: number },
): ParsedMemory {
  const at = (key: string) => lineOf(key) + 1;
  if (value !== null && value !== undefined && !isObject(value))
    return problem(2, "its head is no list of keys and values");
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
  const line = oneLine(description ?? "");
  const told =
    name === undefined || name === place.stem
      ? []
      : [{ line: at("name"), problem: `its name differs from the file's; it goes by ${place.stem}` }];
  const said = line === "" ? oneLine(content.split("\n", 1)[0] ?? "") : line;
  return {
    kind: "memory",
    memory: { name: place.stem, type: known, description: said, tags, content },
    told,
  };
}

/** Undefined where they are none. What is too many or too long is left out. */
function tagsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return [];
  const list = typeof value === "string" ? value.split(",") : value;
  if (!Array.isArray(list)) return undefined;
  const words = list.filter((tag) => typeof tag === "string" || typeof tag === "number").map(String);
  if (words.length !== list.length) return undefined;
  return words
    .map((tag) => oneLine(tag.toWellFormed()))
    .filter((tag) => tag !== "" && tag.length <= TAG_CHARACTERS_MAX)
    .slice(0, TAGS_MAX);
}

/** A text as a description holds it: blanks are single, and it ends in time. */
export function oneLine(text: string): string {
  return head(text.toWellFormed().replaceAll(/\s+/g, " ").trim(), DESCRIPTION_CHARACTERS_MAX).trim();
}

/**
 * Reads a head of exactly the form that `renderMemory` writes, which is YAML too; undefined for every other. It spares a
 * start the parser.
 */
function ownForm(source: string): Extract<YamlHead, { kind: "value" }> | undefined {
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

/** Whether YAML takes a name for a text as it stands. */
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
