import { HarnessError } from "../../../base/errors.ts";
import type { ExitCode } from "../../../session/commands/cli-command.ts";
import type { PromptContext } from "./flags.ts";
import type { Print } from "./prompt.ts";
import { runPrompt } from "./prompt.ts";

/** Answers one prompt. @throws HarnessError UsageInvalid for a prompt without text. */
export async function run(context: PromptContext): Promise<ExitCode> {
  const { words, flags, settings } = context;
  const [prompt] = words;
  const invocation: Print = {
    settings,
    format: flags["output-format"] ?? "text",
    ...(prompt === undefined || prompt === "-" ? {} : { prompt }),
  };
  return await runPrompt(invocation, () => {
    if (prompt?.trim() === "") throw new HarnessError("UsageInvalid", { problem: "the prompt is empty" });
    return context.at;
  });
}
