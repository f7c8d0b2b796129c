import type { InputBlock } from "../../../protocol/content.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";

/** Foreign lines with a mark before each, so that they cannot pass for lines of ours. */
export function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `| ${line}`)
    .join("\n");
}

/** What a person sent, quoted, for a terminal. */
export function quoteInput(content: readonly InputBlock[]): string {
  const texts = content.map((block) => (block.type === "text" ? neutralise(block.text) : `[${block.type}]`));
  return quote(texts.join("\n"));
}
