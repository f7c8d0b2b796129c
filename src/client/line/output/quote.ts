import type { InputBlock } from "../../../protocol/content.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";

/** Puts a mark before each line of an untrusted text, so that it cannot pass for cinch's own output. */
export function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `| ${line}`)
    .join("\n");
}

/** Returns an input as quoted, neutralised lines. */
export function quoteInput(content: readonly InputBlock[]): string {
  const texts = content.map((block) => (block.type === "text" ? neutralise(block.text) : `[${block.type}]`));
  return quote(texts.join("\n"));
}
