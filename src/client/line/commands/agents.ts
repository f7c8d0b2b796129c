import type { SlashCommand } from "../../../view/slash/slash.ts";
import type { SlashContext } from "../slash-context.ts";

type AgentsContext = Pick<SlashContext, "say" | "askAgent" | "standFor">;

/** Runs `/agents` and `/agents:KIND TEXT`, also written `/agents KIND TEXT`. */
export async function runAgents(command: SlashCommand, client: AgentsContext): Promise<void> {
  const isNamed = command.namespace !== undefined;
  const kind = isNamed ? command.name : command.args[0];
  const text = isNamed ? command.rest : command.rest.replace(/^\S+\s*/, "");
  if (kind === undefined) return await client.standFor("agents", { args: [], rest: "" });
  if (text === "") return await client.say(`/agents:${kind} needs a text: what the sub-agent is to do.`);
  await client.askAgent(text, kind);
}
