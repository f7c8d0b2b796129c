import { shortened } from "../../base/text/text.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelBlock, SystemSection } from "../../providers/provider.ts";
import type { Attributes } from "./otlp.ts";

/** How much of what is said goes along in one attribute. */
const CONTENT_CHARACTERS_MAX = 32_768;
/** Of a conversation, the messages that go along: what was before stands in spans before. */
const MESSAGES_MAX = 2;

/** One piece of a message, as the GenAI conventions have it. */
type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;
/** What goes along of a text: without secrets, and cut where the room of its attribute ends. */
type Shorten = (text: string) => string;

/** One text as an attribute: without secrets first and cut then, so that no half of one is left. */
export function textOf(text: string, redact: Redact): string {
  return oneAttribute(redact)(text);
}

/** What a model is asked, in the form of the GenAI conventions: messages of parts, and the system text apart. */
export function askedOf(
  { system, messages }: { readonly system: readonly SystemSection[]; readonly messages: readonly Message[] },
  redact: Redact,
): Attributes {
  const inInstructions = oneAttribute(redact);
  const parts = system.map(({ text }): Part => ({ type: "text", content: inInstructions(text) }));
  const inMessages = oneAttribute(redact);
  // The last one first: where there is no room for all, it is the one that is wanted.
  const last = messages
    .slice(-MESSAGES_MAX)
    .reverse()
    .map(({ role, content }) => ({ role: roleOf(role, content), parts: content.map(partOf(inMessages)) }));
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
  const parts = blocks.map(partOf(oneAttribute(redact)));
  return JSON.stringify([{ role: "assistant", parts, finish_reason: finish ?? "error" }]);
}

/** Takes the texts of one attribute, one after the other: of each as much as there is room for yet. */
function oneAttribute(redact: Redact): Shorten {
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

function partOf(shorten: Shorten): (block: ContentBlock | ModelBlock) => Part {
  return (block) => {
    switch (block.type) {
      case "text":
        return { type: "text", content: shorten(block.text) };
      case "thinking":
        return { type: "reasoning", content: shorten(block.text) };
      case "tool_use": {
        const { name, input } = block;
        const id = "id" in block ? { id: block.id } : {}; // the engine gives one, not the model
        const called = { type: "tool_call", ...id, name: shorten(name) };
        return { ...called, arguments: argumentsOf(input, shorten) };
      }
      case "tool_result": {
        const response = block.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
        return { type: "tool_call_response", id: block.tool_use_id, response: shorten(response.join("\n")) };
      }
      default:
        return { type: block.type }; // bytes are not sent along
    }
  };
}

/** As they are, where nothing of them is left out. */
function argumentsOf(input: unknown, shorten: Shorten): unknown {
  const written = JSON.stringify(input) ?? "";
  const cut = shorten(written);
  return cut === written ? input : cut;
}
