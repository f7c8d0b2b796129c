import type { JsonObject } from "../../../base/json.ts";
import { isObject } from "../../../base/json.ts";
import { frontMatter, NOT_CLOSED } from "../../../base/text/front-matter.ts";
import { HEAD_CHARACTERS_MAX, readHead } from "../../../base/text/markdown-head.ts";
import type { HeadProblem } from "../../../base/text/yaml-head.ts";

/** A SKILL.md taken apart: its head as a table, and the Markdown behind it. */
export type ParsedSkillFile =
  | {
      readonly kind: "skill";
      readonly head: JsonObject;
      readonly body: string;
      /** The line of a key of the head. */
      lineOf(key: string): number;
      /** Set where the head is no YAML and was read line by line. */
      readonly told?: HeadProblem;
    }
  | ({ readonly kind: "problem" } & HeadProblem);

/**
 * Reads a SKILL.md: a head in YAML between lines of `---`, then Markdown (SKL-01).
 *
 * Never rejects, whatever the text is, and takes time in proportion to it. With `lenient` a head that is no YAML is read
 * line by line as far as that goes, which is told: descriptions with an unquoted colon are common.
 */
export async function parseSkillFile(
  text: string,
  { lenient }: { readonly lenient: boolean },
): Promise<ParsedSkillFile> {
  const parts = frontMatter(text);
  if (parts.kind === "headless") return problem(1, "it does not begin with a line of ---");
  if (parts.kind === "open") return problem(1, NOT_CLOSED);
  const { head: source, body } = parts;
  const characters = source.reduce((sum, line) => sum + line.length + 1, 0);
  if (characters > HEAD_CHARACTERS_MAX)
    return problem(1, `its head has more than ${HEAD_CHARACTERS_MAX} characters`);
  const read = await readHead(source);
  if (read.kind === "problem") {
    const told = { line: read.line + 1, problem: read.problem };
    const loose = lenient ? looseHead(source) : undefined;
    return loose === undefined
      ? { kind: "problem", ...told }
      : { kind: "skill", head: loose.head, body, told, lineOf: loose.lineOf };
  }
  if (!isObject(read.value)) return problem(2, "its head is no list of keys and values");
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

/** What lines of the known keys say, the first of each; undefined where there is no description. */
function looseHead(lines: readonly string[]): Head | undefined {
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
