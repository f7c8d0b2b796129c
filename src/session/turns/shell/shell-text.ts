import type { InputBlock } from "../../../protocol/content.ts";
import { fence } from "../../../safety/fence.ts";
import type { ToolOutput } from "../../../tools/tool.ts";

/**
 * Returns a person's command and its output as input for the model. The output is foreign, so it is fenced. It is no
 * result of a call: the model has made none.
 */
export function shellInput(command: string, { content, isError }: ToolOutput): readonly InputBlock[] {
  const output = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const what = isError === true ? "failed or did not run to its end" : "succeeded";
  const words = `The user ran a command in this session by themselves. It ${what}. Command:\n${command}`;
  const fenced = fence("tool-result", output);
  return [{ type: "text", text: fenced === undefined ? words : `${words}\n\nOutput:\n${fenced}` }];
}
