import { isObject } from "../../src/base/json.ts";
import type { ContentBlock } from "../../src/protocol/content.ts";
import type { Message } from "../../src/protocol/message.ts";

/**
 * Returns a provider's refusals of a list of messages, one sentence a problem; empty for a valid one (ENG-18).
 *
 * It knows the rules that Anthropic, OpenAI and compatible servers answer with an error 400, and shares no code with
 * what makes histories valid.
 */
export function checkValid(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  const ids = new Set<string>();
  messages.forEach((message, at) => {
    const before = messages[at - 1];
    if (at === 0 && message.role !== "user") problems.push("the first message is not the user's");
    if (before?.role === message.role) problems.push(`message ${at} has the role of the one before it`);
    if (message.content.length === 0) problems.push(`message ${at} is empty`);
    if (message.content.at(-1)?.type === "thinking") problems.push(`message ${at} ends in thinking`);
    for (const block of message.content)
      problems.push(...blockProblems(message.role, block, `message ${at}`));

    const calls = message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
    for (const id of calls) {
      if (ids.has(id)) problems.push(`message ${at} uses the call id ${id} again`);
      ids.add(id);
    }
    const due = before?.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])) ?? [];
    const given = message.content.flatMap((block) =>
      block.type === "tool_result" ? [block.tool_use_id] : [],
    );
    if (due.join() !== given.join())
      problems.push(`message ${at} answers [${given}] where [${due}] were called`);
    if (calls.length > 0 && at === messages.length - 1) problems.push("the last calls have no results");
    const lead = message.content.slice(0, given.length);
    if (lead.some((block) => block.type !== "tool_result"))
      problems.push(`message ${at} has words before results`);
  });
  if (!JSON.stringify(messages).isWellFormed() || hasLoneSurrogate(messages))
    problems.push("a text is not UTF-16");
  return problems;
}

const ALLOWED: Readonly<Record<Message["role"], readonly ContentBlock["type"][]>> = {
  user: ["text", "image", "audio", "tool_result"],
  assistant: ["text", "thinking", "opaque", "tool_use", "yield"],
};

function blockProblems(role: Message["role"], block: ContentBlock, place: string): string[] {
  const problems: string[] = [];
  if (!ALLOWED[role].includes(block.type)) problems.push(`${place} of the ${role} has a ${block.type} block`);
  if (block.type === "text" && block.text.trim() === "") problems.push(`${place} has an empty text`);
  if (block.type === "tool_use" && !isObject(block.input))
    problems.push(`${place} has a call without an object`);
  if (block.type === "tool_result") {
    if (block.content.length === 0) problems.push(`${place} has an empty result`);
    const empty = block.content.some((inner) => inner.type === "text" && inner.text.trim() === "");
    if (empty) problems.push(`${place} has an empty text in a result`);
  }
  return problems;
}

/** Opaque data goes back as it came, so it is left out here. */
function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  if (!isObject(value)) return false;
  return Object.entries(value).some(([key, inner]) => key !== "data" && hasLoneSurrogate([key, inner]));
}
