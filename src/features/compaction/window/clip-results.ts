import { byteLength, grouped } from "../../../base/text/text.ts";
import type { ResultContent, ToolResultBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";
import { fence } from "../../../safety/fence.ts";
import { withoutFence } from "../summary/compacted-head.ts";
import { headAndTail } from "../summary/cut-text.ts";
import type { StoreText } from "./replace-results.ts";

/**
 * Minimum that stays of a result that the model has not answered yet: it would ask for it again and again otherwise.
 */
const CLIPPED_BYTES_MIN = 300;

/**
 * Returns the messages with all results together within a number of bytes. Of each result above its share, beginning
 * and end stay, with a reference to the whole. Images and sounds are replaced by a word.
 */
export async function clipResults(
  messages: readonly Message[],
  bytesMax: number,
  keep: StoreText,
): Promise<readonly Message[]> {
  const results = messages.flatMap(({ content }) => content.filter((block) => block.type === "tool_result"));
  const each = Math.max(CLIPPED_BYTES_MIN, Math.floor(bytesMax / Math.max(1, results.length)));
  const clipped: Message[] = [];
  for (const message of messages) {
    const content = [];
    for (const block of message.content) {
      content.push(block.type === "tool_result" ? await clip(block, each, keep) : block);
    }
    clipped.push({ role: message.role, content });
  }
  return clipped;
}

async function clip(block: ToolResultBlock, bytesMax: number, keep: StoreText): Promise<ToolResultBlock> {
  const text = block.content.map(textOf).join("\n");
  if (byteLength(text) <= bytesMax && block.content.every(({ type }) => type === "text")) return block;
  const path =
    byteLength(text) <= bytesMax ? undefined : await keep(`${block.tool_use_id}.clipped.txt`, text);
  const where =
    path === undefined ? "" : ` The whole is in ${path}: Read it with offset and limit, or Grep it.`;
  const short = headAndTail(
    text,
    bytesMax,
    (missing) => `[… ${grouped(missing)} bytes left out to make room.${where} …]`,
  );
  const fenced = fence("tool-result", short);
  return { ...block, content: [{ type: "text", text: fenced ?? "(no output)" }] };
}

function textOf(part: ResultContent): string {
  return part.type === "text" ? withoutFence(part.text) : `[${part.type}, left out to make room]`;
}
