import type { YamlHead } from "./yaml-head.ts";

/** Longer heads are nobody's, and YAML takes more than linear time. */
export const HEAD_CHARACTERS_MAX = 16_384;

/**
 * Reads the lines of a Markdown file's head, as `readYamlHead` does. Most heads are so plain that the reader of YAML, which
 * takes longer to load than they take to read, is not needed for them.
 */
export async function readHead(lines: readonly string[]): Promise<YamlHead> {
  const plain = plainHead(lines);
  if (plain !== undefined) return plain;
  const { readYamlHead } = await import("./yaml-head.ts");
  return readYamlHead(lines.join("\n"));
}

const LINE = /^( {2})?([A-Za-z][A-Za-z_-]{0,63}):(?: +(\S.*))?$/;
const WORDS = /^[A-Za-z\u00a1-\u2027\u202a-\ud7ff][ -~\u00a1-\u2027\u202a-\ud7ff]*$/;
/** Where plain words end in YAML: the value is another one then, or none. */
const NO_WORDS = /: |:$| #/;
/** Readers of one version of YAML or another take these for no text. */
const NO_TEXT = /^(?:y|n|yes|no|true|false|on|off|null)$/i;
const QUOTED = /^(?:"([ -!#-[\]-~]*)"|'([ -&(-~]*)')$/;
const WHOLE = /^[1-9]\d{0,8}$/;

/**
 * A head of lines `key: value`, and of tables of them two spaces further in, where each value is words, a text in quotes or a
 * whole number; undefined for every other.
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
