import { HarnessError } from "../../../base/errors.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";
import { promptQuery } from "../../../view/slash/work-command.ts";
import { neutraliseLine } from "../../../view/terminal/terminal-text.ts";
import { refusalText } from "../../../view/texts/refusal-text.ts";
import type { SlashContext } from "../slash-context.ts";

type PromptsContext = Pick<SlashContext, "session" | "say" | "query" | "listCommands" | "sendPrompt">;

const LISTED_MAX = 100;
const NO_PROMPTS =
  "There are no prompts: write one as prompts/NAME.md beside your config.toml, or as .cinch/prompts/NAME.md of the project.";

/** Runs `/prompts` and `/prompts:NAME words`: sends the expanded prompt. */
export async function runPrompts(command: SlashCommand, client: PromptsContext): Promise<void> {
  if (command.namespace === undefined) return await list(client);
  const { session: sessionId } = client;
  const answer = await client.query({ ...promptQuery(command), sessionId });
  if (answer instanceof HarnessError) return await client.say(refusalText(answer));
  await client.sendPrompt(answer.prompt);
}

async function list(client: PromptsContext): Promise<void> {
  const promptCommands = (await client.listCommands())
    .filter(({ name }) => isPrompt(name))
    .slice(0, LISTED_MAX);
  const lines = promptCommands.map(
    ({ usage, help }) => `  ${neutraliseLine(usage)}  ${neutraliseLine(help)}`,
  );
  await client.say(lines.length === 0 ? NO_PROMPTS : lines.join("\n"));
}

function isPrompt(name: string): boolean {
  return name.startsWith("prompts:") && name !== "prompts:NAME";
}
