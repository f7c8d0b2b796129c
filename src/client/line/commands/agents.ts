import type { SlashCommand } from "../../../view/slash/slash.ts";
import type { CommandSurface } from "../surface.ts";

type AgentsSurface = Pick<CommandSurface, "say" | "askAgent" | "standFor">;

/** Runs `/agents` and `/agents:KIND TEXT`, also written `/agents KIND TEXT`. */
export async function runAgents(command: SlashCommand, client: AgentsSurface): Promise<void> {
  const isNamed = command.namespace !== undefined;
  const kind = isNamed ? command.name : command.args[0];
  const text = isNamed ? command.rest : command.rest.replace(/^\S+\s*/, "");
  if (kind === undefined) return await client.standFor("agents", { args: [], rest: "" });
  if (text === "") return await client.say(`/agents:${kind} needs a text: what the sub-agent is to do.`);
  await client.askAgent(text, kind);
}
