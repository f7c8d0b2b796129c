import type { Glob } from "./glob.ts";
import { matchesGlob, parseGlob } from "./glob.ts";

/** Rules of one `.gitignore`, and the folder to which they are relative ("" for the top). */
export interface IgnoreRules {
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

interface IgnoreRule {
  readonly pattern: Glob;
  readonly isNegated: boolean;
  readonly foldersOnly: boolean;
  /** True if matched against the path below the folder; otherwise against the name alone. */
  readonly anchored: boolean;
}

const LINES_MAX = 4_096;
const LINE_CHARACTERS_MAX = 512;

/** Parses such a file. Skips lines that are too long, and lines beyond the limit. */
export function parseIgnore(folder: string, text: string): IgnoreRules {
  const lines = text.split("\n", LINES_MAX);
  return { folder, rules: lines.flatMap((line) => ruleOf(line.replace(/\r$/u, ""))) };
}

/**
 * Returns true if git ignores a path by default. The last matching rule counts, those of deeper folders last. This
 * only decides what is copied, not what is safe: a mistake costs space, never a file.
 */
export function isIgnored(path: string, isFolder: boolean, from: readonly IgnoreRules[]): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  for (let at = from.length - 1; at >= 0; at -= 1) {
    const { folder, rules } = from[at] ?? { folder: "", rules: [] };
    const below = folder === "" ? path : path.slice(folder.length + 1);
    for (let line = rules.length - 1; line >= 0; line -= 1) {
      const rule = rules[line];
      if (rule === undefined || (rule.foldersOnly && !isFolder)) continue;
      if (matchesGlob(rule.pattern, rule.anchored ? below : name)) return !rule.isNegated;
    }
  }
  return false;
}

function ruleOf(line: string): readonly IgnoreRule[] {
  if (line.length > LINE_CHARACTERS_MAX || line.startsWith("#")) return [];
  let text = line.replace(/(?<!\\) +$/u, "");
  const isNegated = text.startsWith("!");
  if (isNegated) text = text.slice(1);
  const foldersOnly = text.endsWith("/");
  if (foldersOnly) text = text.slice(0, -1);
  if (text === "") return [];
  const anchored = text.includes("/");
  const pattern = parseGlob(anchored ? text.replace(/^\//u, "") : text);
  return pattern === undefined ? [] : [{ pattern, isNegated, foldersOnly, anchored }];
}
