import type { CallId } from "../../../base/ids.ts";
import { byteLength, count, grouped } from "../../../base/text/text.ts";
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import type { ToolTable } from "../../../tools/tool-facts.ts";
import { isTurnStart } from "../facts/user-text.ts";
import { withoutFence } from "../summary/compacted-head.ts";

/** Stores a text where tools can read it, and returns its path; undefined if that is impossible. */
export type StoreText = (name: string, text: string) => Promise<string | undefined>;

/** Store for results, and the tools that returned them. */
export interface ResultStore {
  readonly keep: StoreText;
  readonly tools: ToolTable;
}

/** Minimum for a result: a smaller one takes hardly more space than its reference. */
export const RESULT_BYTES_MIN = 800;

const MARK = "[cinch has set this result";

/**
 * Replaces the long results of the first `end` messages by references (tier 1): which call it was, how long the
 * result is, and how to get it again. Thinking before the newest turn goes too: no provider asks for it.
 */
export async function replaceLongResults(
  messages: readonly Message[],
  end: number,
  { keep, tools }: ResultStore,
): Promise<readonly Message[]> {
  const calls = new Map<CallId, ToolUseBlock>();
  const newestTurn = messages.findLastIndex(isTurnStart);
  const smaller: Message[] = [];
  for (const [at, message] of messages.entries()) {
    for (const block of message.content) if (block.type === "tool_use") calls.set(block.id, block);
    if (at >= end) {
      smaller.push(message);
      continue;
    }
    const content: ContentBlock[] = [];
    for (const block of message.content) {
      if (block.type === "thinking" && at < newestTurn) continue;
      content.push(block.type === "tool_result" ? await reference(block, calls, { keep, tools }) : block);
    }
    if (content.length === 0) continue; // only thinking
    const isSame =
      content.length === message.content.length && content.every((b, i) => b === message.content[i]);
    smaller.push(isSame ? message : { role: message.role, content });
  }
  return smaller;
}

async function reference(
  block: ToolResultBlock,
  calls: ReadonlyMap<CallId, ToolUseBlock>,
  aside: ResultStore,
): Promise<ToolResultBlock> {
  const texts = block.content.flatMap((part) => (part.type === "text" ? [withoutFence(part.text)] : []));
  const media = block.content.length - texts.length;
  const text = texts.join("\n");
  const bytes = byteLength(text);
  if (media === 0 && (bytes < RESULT_BYTES_MIN || text.startsWith(MARK))) return block;
  const call = calls.get(block.tool_use_id);
  const what = [
    ...(bytes > 0 ? [`${grouped(bytes)} bytes`] : []),
    ...(media > 0 ? [count(media, "image or sound")] : []),
  ].join(" and ");
  const how = await again(call, text, aside);
  const name = call === undefined ? "a call" : call.name;
  const marker = `${MARK} of ${name} (${block.tool_use_id}, ${what}) aside to make room. ${how}]`;
  return { ...block, content: [{ type: "text", text: marker }] };
}

/** Returns how to get a result again: a file is read again at its path; everything else is stored. */
async function again(
  call: ToolUseBlock | undefined,
  text: string,
  { keep, tools }: ResultStore,
): Promise<string> {
  if (call !== undefined && tools.of(call.name)?.effect === "reads-files")
    return `Call ${call.name} again with the same input to see it.`;
  const path = text === "" || call === undefined ? undefined : await keep(`${call.id}.aside.txt`, text);
  if (path === undefined) return "Make the call again where that is harmless; the session's log keeps it.";
  return `The whole is in ${path}: Read it with offset and limit, or Grep it.`;
}
