import type { ContentBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import type { CompactedHead } from "../summary/compacted-head.ts";
import { isUserText } from "./user-text.ts";

/** Returns a history without the head of an earlier compaction; an empty message stands for that. */
export function withoutHead(
  messages: readonly Message[],
  head: CompactedHead | undefined,
): readonly Message[] {
  if (head === undefined) return messages;
  const rest: readonly Message[] = head.rest.length === 0 ? [] : [{ role: "user", content: [...head.rest] }];
  return [{ role: "user", content: [] }, ...rest, ...messages.slice(1)];
}

/**
 * Returns the messages with the parts of a heavy last input split into separate messages: results first, then each
 * text with the images, sounds and fenced sections that follow it.
 */
export function splitLastInput(
  messages: readonly Message[],
  isHeavy: (last: Message) => boolean,
): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== "user" || !isHeavy(last)) return messages;
  const parts: ContentBlock[][] = [];
  for (const block of last.content) {
    const current = parts.at(-1);
    const begins =
      isUserText(block) || (current?.at(-1)?.type === "tool_result" && block.type !== "tool_result");
    if (current === undefined || begins) parts.push([block]);
    else current.push(block);
  }
  return [...messages.slice(0, -1), ...parts.map((content) => ({ role: "user" as const, content }))];
}
