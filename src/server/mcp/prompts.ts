import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import type { AgentClient } from "./agent-client.ts";
import { pathIn } from "./uris.ts";

/** Every skill is a prompt ([A] § Prompts exposed). */
export async function listPrompts({ engine, scope }: AgentClient): Promise<Prompt[]> {
  const skills = await engine.catalogue.skills(scope);
  return skills.map(({ name, description }) => ({ name, title: `Skill ${name}`, description }));
}

/** The text of a skill, asked for by its name or by its address. @throws HarnessError UnknownResource. */
export async function getPrompt(named: string, { engine, scope }: AgentClient): Promise<GetPromptResult> {
  const [, addressed] = /^skill\/(.*)$/s.exec(pathIn(named) ?? "") ?? [];
  const name = addressed === undefined ? named : decoded(addressed);
  const { description, text } = await engine.catalogue.skill(name, scope);
  return { description, messages: [{ role: "user", content: { type: "text", text } }] };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // then no skill is called so
  }
}
