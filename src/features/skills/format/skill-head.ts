import type { JsonObject } from "../../../base/json.ts";
import { isObject } from "../../../base/json.ts";
import { NOT_CLOSED, splitFrontMatter } from "../../../base/text/front-matter.ts";
import { HEAD_CHARACTERS_MAX, readMarkdownHead } from "../../../base/text/markdown-head.ts";
import type { HeadProblem } from "../../../base/text/yaml-head.ts";

/** A parsed SKILL.md: its head as a table, and the Markdown after it. */
export type ParsedSkillFile =
  | {
      readonly kind: "skill";
      readonly head: JsonObject;
      readonly body: string;
      /** Returns the line of a key of the head. */
      lineOf(key: string): number;
      /** The YAML problem, if the head was read line by line instead. */
      readonly yamlProblem?: HeadProblem;
    }
  | ({ readonly kind: "problem" } & HeadProblem);

/**
 * Parses a SKILL.md: a head in YAML between lines of `---`, then Markdown (SKL-01).
 *
 * Never rejects, and takes time in proportion to the text. With `lenient`, an invalid YAML head is read line by line,
 * which is reported, because descriptions with an unquoted colon are common.
 */
export async function parseSkillFile(
  text: string,
  { lenient }: { readonly lenient: boolean },
): Promise<ParsedSkillFile> {
  const parts = splitFrontMatter(text);
  if (parts.kind === "headless") return problem(1, "it does not begin with a line of ---");
  if (parts.kind === "open") return problem(1, NOT_CLOSED);
  const { head: source, body } = parts;
  const characters = source.reduce((sum, line) => sum + line.length + 1, 0);
  if (characters > HEAD_CHARACTERS_MAX)
    return problem(1, `its head has more than ${HEAD_CHARACTERS_MAX} characters`);
  const read = await readMarkdownHead(source);
  if (read.kind === "problem") {
    const yamlProblem = { line: read.line + 1, problem: read.problem };
    const loose = lenient ? readHeadLines(source) : undefined;
    return loose === undefined
      ? { kind: "problem", ...yamlProblem }
      : { kind: "skill", head: loose.head, body, yamlProblem, lineOf: loose.lineOf };
  }
  if (!isObject(read.value)) return problem(2, "its head is not a list of keys and values");
  const head = read.value;
  return {
    kind: "skill",
    head,
    body,
    lineOf: (key) => (Object.hasOwn(head, key) ? read.lineOf(key) + 1 : 1),
  };
}

interface Head {
  readonly head: JsonObject;
  lineOf(key: string): number;
}

const LOOSE = /^(name|description|license|compatibility):[ \t]+(\S.*)$/;

/** Reads the first line of each known key. Returns undefined without a description. */
function readHeadLines(lines: readonly string[]): Head | undefined {
  const found: [string, string, number][] = [];
  for (const [at, line] of lines.entries()) {
    const [, key, value = ""] = LOOSE.exec(line) ?? [];
    if (key === undefined || found.some(([known]) => known === key)) continue;
    found.push([key, unquoted(value.trim()), at + 2]);
  }
  return found.some(([key]) => key === "description") ? headOf(found) : undefined;
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) && value.length > 1 ? value.slice(1, -1) : value;
}

function headOf(pairs: readonly (readonly [string, string, number])[]): Head {
  return {
    head: Object.fromEntries(pairs.map(([key, value]) => [key, value])),
    lineOf: (wanted) => pairs.find(([key]) => key === wanted)?.[2] ?? 1,
  };
}

function problem(line: number, text: string): ParsedSkillFile {
  return { kind: "problem", line, problem: text };
}
