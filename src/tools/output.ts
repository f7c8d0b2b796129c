import type { ToolOutput } from "./tool.ts";

/** Returns a result of one text. */
export function textOutput(text: string): ToolOutput {
  return { content: [{ type: "text", text }] };
}

/** Returns a failure that the model sees as the result of its call. */
export function errorOutput(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}
