import type { ToolOutput } from "../../tools/tool.ts";

/** Returns the text of an output for a sentence. */
export function outputWords({ content }: ToolOutput): string {
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join(" ");
}
