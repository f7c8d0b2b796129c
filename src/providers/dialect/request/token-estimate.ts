import { byteLength } from "../../../base/text/text.ts";
import type { ContentBlock } from "../../../protocol/content.ts";
import type { Message } from "../../../protocol/message.ts";

const BYTES_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;
/** An image costs by its pixels, not its bytes; most providers scale down to about this. */
const TOKENS_PER_MEDIUM = 1_600;
/** A page of a PDF has about 50 kB. */
const BASE64_CHARACTERS_PER_PAGE = 65_536;
const TOKENS_PER_PAGE = 2_500;

/** Estimates the tokens of messages from their bytes, for providers without a free token count. */
export function estimateTokens(messages: readonly Message[]): number {
  return messages.reduce(
    (sum, { content }) =>
      sum + TOKENS_PER_MESSAGE + content.reduce((tokens, block) => tokens + ofBlock(block), 0),
    0,
  );
}

function ofBlock(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return ofText(block.text);
    case "image":
    case "audio":
      return TOKENS_PER_MEDIUM;
    case "document":
      return ofDocument(block.source.data.length);
    case "tool_use":
      return ofText(block.name) + ofText(JSON.stringify(block.input) ?? "");
    case "tool_result":
      return block.content.reduce((tokens, part) => tokens + ofBlock(part), 0);
    case "thinking":
      return ofText(block.text);
    case "opaque":
      return ofText(JSON.stringify(block.data) ?? "");
    case "yield":
      return 0;
  }
}

/** A page costs its text and an image; providers count the two together as about this. */
function ofDocument(base64Characters: number): number {
  const pages = Math.max(1, Math.ceil(base64Characters / BASE64_CHARACTERS_PER_PAGE));
  return pages * TOKENS_PER_PAGE;
}

function ofText(text: string): number {
  return Math.ceil(byteLength(text) / BYTES_PER_TOKEN);
}
