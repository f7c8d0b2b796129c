import type { ToolOutput } from "./tool.ts";

/** A result of one text. */
export function says(text: string): ToolOutput {
  return { content: [{ type: "text", text }] };
}

/** A failure that the model sees as the result of its call. */
export function fails(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
