import { ToolFailure } from "../../../tools/tool.ts";

const PROMPT_CHARACTERS_MAX = 100_000;

/** @throws ToolFailure where a prompt is no task that can be given to somebody else. */
export function assertTask(prompt: string): void {
  if (prompt.trim() === "") throw new ToolFailure("The prompt is empty: whoever gets it knows nothing else.");
  if (prompt.length > PROMPT_CHARACTERS_MAX)
    throw new ToolFailure(
      `The prompt has more than ${PROMPT_CHARACTERS_MAX} characters: put it into a file.`,
    );
}
