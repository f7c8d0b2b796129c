import { ToolFailure } from "../../../tools/tool.ts";

const PROMPT_CHARACTERS_MAX = 100_000;

/** @throws ToolFailure for a prompt that is not a complete task. */
export function assertTask(prompt: string): void {
  if (prompt.trim() === "")
    throw new ToolFailure("The prompt is empty. The recipient knows nothing else about the task.");
  if (prompt.length > PROMPT_CHARACTERS_MAX)
    throw new ToolFailure(
      `The prompt has more than ${PROMPT_CHARACTERS_MAX} characters: put it into a file.`,
    );
}
