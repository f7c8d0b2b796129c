import { shortened } from "../../base/text/text.ts";
import type { ContentBlock } from "../../protocol/content.ts";
import type { Message } from "../../protocol/message.ts";
import type { ModelBlock, SystemSection } from "../../providers/provider.ts";
import type { Attributes } from "./otlp.ts";

/** Limit for text in one attribute. */
const CONTENT_CHARACTERS_MAX = 32_768;
/** Limit for the messages of a conversation in a span: earlier ones are in earlier spans. */
const MESSAGES_MAX = 2;

/** One part of a message, in the form of the GenAI conventions. */
type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** Removes secrets from a text. */
export type Redact = (text: string) => string;
/** Removes secrets from a text, and cuts it to the space left in its attribute. */
type Shorten = (text: string) => string;

/**
 * Returns one text as an attribute: secrets are removed first and the text cut then, so that no part of one is left.
 */
export function textAttribute(text: string, redact: Redact): string {
  return oneAttribute(redact)(text);
}

/** Renders a model's input in the form of the GenAI conventions: messages of parts, and the system text apart. */
export function inputAttributes(
  { system, messages }: { readonly system: readonly SystemSection[]; readonly messages: readonly Message[] },
  redact: Redact,
): Attributes {
  const inInstructions = oneAttribute(redact);
  const parts = system.map(({ text }): Part => ({ type: "text", content: inInstructions(text) }));
  const inMessages = oneAttribute(redact);
  // The last message first: if not all fit, it is the one that matters.
  const last = messages
    .slice(-MESSAGES_MAX)
    .reverse()
    .map(({ role, content }) => ({ role: roleOf(role, content), parts: content.map(partOf(inMessages)) }));
  return {
    "gen_ai.system_instructions": JSON.stringify(parts),
    "gen_ai.input.messages": JSON.stringify(last.reverse()),
  };
}

/** Renders a model's answer in the same form. */
export function outputAttribute(
  blocks: readonly ModelBlock[],
  finish: string | undefined,
  redact: Redact,
): string {
  const parts = blocks.map(partOf(oneAttribute(redact)));
  return JSON.stringify([{ role: "assistant", parts, finish_reason: finish ?? "error" }]);
}

/** Returns a function that takes the texts of one attribute in turn, each cut to the space still left. */
function oneAttribute(redact: Redact): Shorten {
  let remainingCharacters = CONTENT_CHARACTERS_MAX;
  return (text) => {
    const cut = shortened(redact(text), remainingCharacters);
    remainingCharacters -= Math.min(remainingCharacters, cut.length);
    return cut;
  };
}

/** The conventions have a separate role for results of calls. */
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
        const id = "id" in block ? { id: block.id } : {}; // the engine sets it, not the model
        const called = { type: "tool_call", ...id, name: shorten(name) };
        return { ...called, arguments: argumentsOf(input, shorten) };
      }
      case "tool_result": {
        const response = block.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`));
        return { type: "tool_call_response", id: block.tool_use_id, response: shorten(response.join("\n")) };
      }
      default:
        return { type: block.type }; // bytes are not sent
    }
  };
}

/** Returns arguments unchanged if nothing of them is cut. */
function argumentsOf(input: unknown, shorten: Shorten): unknown {
  const written = JSON.stringify(input) ?? "";
  const cut = shorten(written);
  return cut === written ? input : cut;
}
