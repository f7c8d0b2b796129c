import type { InputBlock } from "../../../protocol/content.ts";
import { inputTexts } from "../../../view/input-text.ts";
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
  return quote(neutralise(inputTexts(content, (type) => `[${type}]`).join("\n")));
}
