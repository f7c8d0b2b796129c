import type { SlashCommand } from "../../../view/slash/slash.ts";
import { reloadedSkillsText } from "../../../view/texts/result-texts.ts";
import type { SlashContext } from "../slash-context.ts";

type SkillsContext = Pick<SlashContext, "session" | "say" | "request" | "useSkill" | "standFor">;

/** Runs `/skills`, `/skills:reload` and `/skills:NAME`, also written `/skills NAME`. */
export async function runSkills(command: SlashCommand, client: SkillsContext): Promise<void> {
  const { session: sessionId } = client;
  const { name, text } = skillRequest(command);
  if (name === undefined) return await client.standFor("skills", { args: [], rest: "" });
  if (name === "reload") {
    const reloaded = await client.request({ kind: "ReloadSkills", sessionId });
    if (reloaded !== undefined) await client.say(reloadedSkillsText(reloaded));
    return;
  }
  await client.useSkill(text === "" ? `Use the skill ${name}.` : text, name);
}

function skillRequest({ namespace, name, args, rest }: SlashCommand): {
  readonly name: string | undefined;
  readonly text: string;
} {
  if (namespace !== undefined) return { name, text: rest };
  return { name: args[0], text: rest.replace(/^\S+\s*/, "") };
}

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
