import { shortened } from "../base/text.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/message.ts";
import type { ModelBlock, SystemSection } from "../provider/provider.ts";
import type { Attributes } from "./otlp.ts";

/** How much of what is said goes along in one attribute. */
const CONTENT_CHARACTERS_MAX = 32_768;
/** Of a conversation, the messages that go along: what was before stands in spans before. */
const MESSAGES_MAX = 2;

/** One piece of a message, as the GenAI conventions have it. */
type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** One text as an attribute: without secrets first and cut then, so that no half of one is left. */
export function textOf(text: string, redact: Redact): string {
  return told(redact)(text);
}

/** What a model is asked, in the form of the GenAI conventions: messages of parts, and the system text apart. */
export function askedOf(
  { system, messages }: { readonly system: readonly SystemSection[]; readonly messages: readonly Message[] },
  redact: Redact,
): Attributes {
  const [instructions, words] = [told(redact), told(redact)];
  const parts = system.map(({ text }): Part => ({ type: "text", content: instructions(text) }));
  // The last one first: where there is no room for all, it is the one that is wanted.
  const last = messages
    .slice(-MESSAGES_MAX)
    .reverse()
    .map(({ role, content }) => ({ role: roleOf(role, content), parts: content.map(partOf(words)) }));
  return {
    "gen_ai.system_instructions": JSON.stringify(parts),
    "gen_ai.input.messages": JSON.stringify(last.reverse()),
  };
}

/** What a model has answered, in the same form. */
export function answeredOf(
  blocks: readonly ModelBlock[],
  finish: string | undefined,
  redact: Redact,
): string {
  const words = told(redact);
  const parts = blocks.map((block) => partOf(words)(block as ContentBlock));
  return JSON.stringify([{ role: "assistant", parts, finish_reason: finish ?? "error" }]);
}

/** Gives as much of each text as there is room for in the attribute. */
function told(redact: Redact): (text: string) => string {
  let left = CONTENT_CHARACTERS_MAX;
  return (text) => {
    const cut = shortened(redact(text), left);
    left -= Math.min(left, cut.length);
    return cut;
  };
}

/** The results of calls are a role of their own there. */
function roleOf(role: Message["role"], content: Message["content"]): string {
  return content.some(({ type }) => type === "tool_result") ? "tool" : role;
}

function partOf(words: (text: string) => string): (block: ContentBlock) => Part {
  return (block) => {
    switch (block.type) {
      case "text":
        return { type: "text", content: words(block.text) };
      case "thinking":
        return { type: "reasoning", content: words(block.text) };
      case "tool_use": {
        const { id, name, input } = block;
        const called = { type: "tool_call", ...(id === undefined ? {} : { id }), name: words(name) };
        return { ...called, arguments: argumentsOf(input, words) };
      }
      case "tool_result": {
        const response = block.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
        return { type: "tool_call_response", id: block.tool_use_id, response: words(response.join("\n")) };
      }
      default:
        return { type: block.type }; // bytes are not sent along
    }
  };
}

/** As they are, where nothing of them is left out. */
function argumentsOf(input: unknown, words: (text: string) => string): unknown {
  const written = JSON.stringify(input) ?? "";
  const cut = words(written);
  return cut === written ? input : cut;
}
