import type { YAMLMap } from "yaml";
import { isMap, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { messageOf } from "../errors.ts";
import { head } from "./text.ts";

/** A problem and its line, counted from 1. */
export interface HeadProblem {
  readonly line: number;
  readonly problem: string;
}

/** The parsed head of a Markdown file, as far as it could be read. */
export type YamlHead =
  | { readonly kind: "value"; readonly value: unknown; lineOf(key: string): number }
  | ({ readonly kind: "problem" } & HeadProblem);

const PROBLEM_CHARACTERS_MAX = 200;
/** A value below `metadata`, and a tag in a list of it. */
const DEPTH_MAX = 3;

/** Hints for parser messages that assume knowledge of the grammar. */
const HINTS: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: "; a text with a colon and a space in it stands in quotes",
};

/**
 * Parses the head of a Markdown file as YAML. A duplicate key is a problem with its line; an alias counts as absent.
 * Never rejects; the time is proportional to the text, which the caller limits.
 */
export function readYamlHead(source: string): YamlHead {
  try {
    return parsed(source);
  } catch (thrown) {
    // The parser recurses: a head of brackets alone can exhaust its stack.
    return { kind: "problem", line: 1, problem: `it cannot be read as YAML: ${short(messageOf(thrown))}` };
  }
}

function parsed(source: string): YamlHead {
  const lineCounter = new LineCounter();
  const options = { lineCounter, uniqueKeys: true, schema: "core", prettyErrors: false } as const;
  const { errors, warnings, contents } = parseDocument(source, options);
  const [error] = [...errors, ...warnings];
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    return {
      kind: "problem",
      line: Math.max(1, line),
      problem: short(error.message + (HINTS[error.code] ?? "")),
    };
  }
  const lines = new Map<string, number>();
  const value = readNode(contents, 0, (key, offset) => {
    if (!lines.has(key)) lines.set(key, lineCounter.linePos(offset).line);
  });
  return { kind: "value", value, lineOf: (key) => lines.get(key) ?? 1 };
}

type OnKey = (key: string, offset: number) => void;

/**
 * Reads a node to the depth of such a head. The library's own conversion renders nested keys as text, which takes
 * cubic time, and prints warnings.
 */
function readNode(node: unknown, depth: number, onKey: OnKey): unknown {
  if (isScalar(node)) return node.value;
  if (depth === DEPTH_MAX) return undefined;
  if (isMap(node)) return Object.fromEntries(entriesOf(node, depth, onKey));
  return isSeq(node) ? node.items.map((item) => readNode(item, depth + 1, onKey)) : undefined;
}

function entriesOf({ items }: YAMLMap, depth: number, onKey: OnKey): readonly (readonly [string, unknown])[] {
  return items.flatMap(({ key, value }) => {
    if (!isScalar(key)) return [];
    const name = String(key.value);
    onKey(name, key.range?.[0] ?? 0);
    return [[name, readNode(value, depth + 1, onKey)] as const];
  });
}

function short(text: string): string {
  return head(text.replaceAll(/\s+/g, " "), PROBLEM_CHARACTERS_MAX);
}
