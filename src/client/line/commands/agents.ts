import { stringAt } from "../../../base/json.ts";
import type { SlashCommand } from "../../../view/slash/slash.ts";
import { neutralise } from "../../../view/terminal/terminal-text.ts";
import type { CommandSurface } from "../surface.ts";

type AgentsSurface = Pick<CommandSurface, "session" | "say" | "request" | "askAgent">;

/** Carries out `/agents` and `/agents:KIND TEXT`; `/agents KIND TEXT` says the same as the last. */
export async function runAgents(command: SlashCommand, client: AgentsSurface): Promise<void> {
  const isNamed = command.namespace !== undefined;
  const kind = isNamed ? command.name : command.args[0];
  const text = isNamed ? command.rest : command.rest.replace(/^\S+\s*/, "");
  if (kind === undefined) {
    const { session: sessionId } = client;
    const payload = { args: [], text: "" };
    const listed = await client.request({
      kind: "CustomCommand",
      sessionId,
      namespace: "agents",
      verb: "list",
      payload,
    });
    const said = stringAt(listed, "text");
    if (said !== undefined) await client.say(neutralise(said));
    return;
  }
  if (text === "") return await client.say(`/agents:${kind} needs a text: what the sub-agent is to do.`);
  await client.askAgent(text, kind);
}
