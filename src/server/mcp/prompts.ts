import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { AgentClient } from "./agent-client.ts";
import { pathIn } from "./uris.ts";

/** Lists every skill as a prompt ([A] § Prompts exposed). */
export async function listPrompts({ engine, asking }: AgentClient, signal: AbortSignal): Promise<Prompt[]> {
  const { skills } = await engine.query({ kind: "ListSkills" }, { ...asking, signal });
  return skills.map(({ name, description }) => ({ name, title: `Skill ${name}`, description }));
}

/** Returns the text of a skill, by its name or its address. @throws HarnessError UnknownResource. */
export async function getPrompt(
  named: string,
  { engine, asking }: AgentClient,
  signal: AbortSignal,
): Promise<GetPromptResult> {
  const [, addressed] = /^skill\/(.*)$/s.exec(pathIn(named) ?? "") ?? [];
  const name = addressed === undefined ? named : decoded(addressed);
  const { description, text } = await engine.query({ kind: "GetSkill", name }, { ...asking, signal });
  return { description, messages: [{ role: "user", content: { type: "text", text } }] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // then no skill has this name
  }
}
