import type { YamlHead } from "./yaml-head.ts";

/** Limit of a head: real ones are shorter, and YAML takes more than linear time. */
export const HEAD_CHARACTERS_MAX = 16_384;

/**
 * Parses the lines of a Markdown file's head, as `readYamlHead` does. Most heads are too simple to need the YAML
 * parser, which takes longer to load than they take to parse.
 */
export async function readMarkdownHead(lines: readonly string[]): Promise<YamlHead> {
  const plain = plainHead(lines);
  if (plain !== undefined) return plain;
  const { readYamlHead } = await import("./yaml-head.ts");
  return readYamlHead(lines.join("\n"));
}

const LINE = /^( {2})?([A-Za-z][A-Za-z_-]{0,63}):(?: +(\S.*))?$/;
const WORDS = /^[A-Za-z\u00a1-\u2027\u202a-\ud7ff][ -~\u00a1-\u2027\u202a-\ud7ff]*$/;
/** Characters that end plain words in YAML: the value is then different, or none. */
const NO_WORDS = /: |:$| #/;
/** Some version of YAML does not read these as text. */
const NO_TEXT = /^(?:y|n|yes|no|true|false|on|off|null)$/i;
const QUOTED = /^(?:"([ -!#-[\]-~]*)"|'([ -&(-~]*)')$/;
const WHOLE = /^[1-9]\d{0,8}$/;

/**
 * Parses a head of lines `key: value`, and of tables of them indented by two spaces, where each value is words, a
 * quoted text or a whole number; undefined for any other head.
 */
function plainHead(lines: readonly string[]): YamlHead | undefined {
  const head = new Map<string, unknown>();
  const lineOf = new Map<string, number>();
  let into = head;
  for (const [at, line] of lines.entries()) {
    const [, indent, key, text] = LINE.exec(line) ?? [];
    if (indent === undefined) {
      if (into !== head && into.size === 0) return undefined;
      into = head;
    }
    const isTable = text === undefined;
    const value = isTable ? new Map<string, unknown>() : plainValue(text.trimEnd());
    if (key === undefined || value === undefined || into.has(key)) return undefined;
    if (indent !== undefined && (into === head || isTable)) return undefined;
    into.set(key, value);
    if (!lineOf.has(key)) lineOf.set(key, at + 1);
    if (value instanceof Map) into = value;
  }
  if (into.size === 0) return undefined;
  return { kind: "value", value: tableOf(head), lineOf: (key) => lineOf.get(key) ?? 1 };
}

function plainValue(text: string): string | number | undefined {
  if (WHOLE.test(text)) return Number(text);
  if (WORDS.test(text)) return NO_WORDS.test(text) || NO_TEXT.test(text) ? undefined : text;
  const [, double, single] = QUOTED.exec(text) ?? [];
  return double ?? single;
}

function tableOf(entries: ReadonlyMap<string, unknown>): unknown {
  return Object.fromEntries(
    [...entries].map(([key, value]) => [key, value instanceof Map ? tableOf(value) : value]),
  );
}
