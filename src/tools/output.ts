import type { ToolOutput } from "./tool.ts";

/** Returns a result of one text. */
export function says(text: string): ToolOutput {
  return { content: [{ type: "text", text }] };
}

/** Returns a failure that the model sees as the result of its call. */
export function fails(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
