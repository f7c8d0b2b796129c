import { LineCounter, parseDocument, visit } from "yaml";
import { messageOf } from "../base/errors.ts";
import { head } from "../base/text.ts";
import type { Frontmatter } from "./memory-file.ts";

const PROBLEM_CHARACTERS_MAX = 200;

/**
 * Reads the head of a memory file as YAML, strictly where it could mean two things: a key that stands twice, an alias or a
 * tag of another type is a problem with its line. Never rejects.
 */
export async function readYaml(source: string): Promise<Frontmatter> {
  try {
    return parsed(source);
  } catch (thrown) {
    // The parser recurses: a head of brackets alone ends its stack.
    return { kind: "problem", line: 1, problem: `it cannot be read as YAML: ${short(messageOf(thrown))}` };
  }
}

function parsed(source: string): Frontmatter {
  const lineCounter = new LineCounter();
  const document = parseDocument(source, {
    lineCounter,
    uniqueKeys: true,
    schema: "core",
    prettyErrors: false,
  });
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) {
    const { line } = lineCounter.linePos(error.pos[0]);
    return { kind: "problem", line: Math.max(1, line), problem: short(error.message) };
  }
  const lines = new Map<string, number>();
  visit(document, {
    Pair(_, { key }) {
      const { value, range } = (key ?? {}) as {
        readonly value?: unknown;
        readonly range?: readonly number[];
      };
      if (typeof value === "string" && !lines.has(value))
        lines.set(value, lineCounter.linePos(range?.[0] ?? 0).line);
    },
  });
  return {
    kind: "value",
    value: document.toJS({ maxAliasCount: 0 }),
    lineOf: (key) => lines.get(key) ?? 1,
  };
}

function short(text: string): string {
  return head(text.replaceAll(/\s+/g, " "), PROBLEM_CHARACTERS_MAX);
}
