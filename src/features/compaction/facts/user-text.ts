import type { CallId } from "../../../base/ids.ts";
import type { ContentBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";

/** Start of a fenced section of foreign text: such a block was written by no user. */
const FENCED = "<untrusted-";

/**
 * Returns true for a message that a client sent; results of calls may precede the text if it came in the middle of
 * a turn.
 */
export function isInput({ role, content }: Message): boolean {
  return role === "user" && content.some((block) => block.type !== "tool_result");
}

/** Returns true for text that the user has written. */
export function isUserText(block: ContentBlock): boolean {
  return block.type === "text" && !block.text.startsWith(FENCED);
}

/** Returns true for a message that begins a turn: no earlier call needs it. */
export function isTurnStart({ role, content }: Message): boolean {
  return role === "user" && content.every((block) => block.type !== "tool_result");
}

/** Returns the user's text in a message, without what others have added to it. */
export function userText({ content }: Message): string {
  const words = content.flatMap((block) => {
    if (block.type === "text") return block.text.startsWith(FENCED) ? [] : [block.text];
    if (block.type === "image") return ["[an image]"];
    if (block.type === "document") return ["[a PDF]"];
    return block.type === "audio" ? ["[a sound]"] : [];
  });
  return words.join("\n\n");
}

export function failedCalls(messages: readonly Message[]): ReadonlySet<CallId> {
  const failed = new Set<CallId>();
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === "tool_result" && block.is_error === true) failed.add(block.tool_use_id);
    }
  }
  return failed;
}
