import { filesUnder, ROOT } from "./source.ts";

/** A fenced block of a document. */
export interface Block {
  /** File and line of its first line, for messages. */
  readonly place: string;
  readonly language: string;
  /** The words after the language, for the test that runs it. */
  readonly info: string;
  readonly text: string;
}

/** The documents that people read, relative to the root; those that are not there yet are left out. */
export function documents(): readonly string[] {
  return [
    ...new Bun.Glob("*.md").scanSync(ROOT),
    ...filesUnder("docs", "**/*.md"),
    ...filesUnder("examples", "**/*.md"),
  ].sort();
}

/** The fenced blocks of a document, in order. A fence inside a list may be indented. */
export function blocksOf(file: string, document: string): readonly Block[] {
  const blocks: Block[] = [];
  for (const match of document.matchAll(/^( *)(`{3,})(\w*)([^\n]*)\n([\s\S]*?)^\1\2`*[ \t]*$/gm)) {
    const [, indent = "", , language = "", info = "", text = ""] = match;
    const line = document.slice(0, match.index).split("\n").length + 1;
    blocks.push({
      place: `${file}:${line}`,
      language,
      info: info.trim(),
      text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    });
  }
  return blocks;
}
