import type { CallId } from "../../../base/ids.ts";
import type { ContentBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";

/** What the fence begins a section of foreign text with: such a block is nobody's words. */
const FENCED = "<untrusted-";

/** A message that somebody sent; results of calls may stand before the words, where they came in the middle of a turn. */
export function isInput({ role, content }: Message): boolean {
  return role === "user" && content.some((block) => block.type !== "tool_result");
}

/** A text that the user has written. */
export function isWords(block: ContentBlock): boolean {
  return block.type === "text" && !block.text.startsWith(FENCED);
}

/** A message that begins a turn: no call before it needs it. */
export function beginsTurn({ role, content }: Message): boolean {
  return role === "user" && content.every((block) => block.type !== "tool_result");
}

/** The words of a user in a message, without what others have added to it. */
export function wordsOf({ content }: Message): string {
  const words = content.flatMap((block) => {
    if (block.type === "text") return block.text.startsWith(FENCED) ? [] : [block.text];
    if (block.type === "image") return ["[an image]"];
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
