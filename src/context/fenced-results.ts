import type { ContentBlock, ResultContent, ToolResultBlock } from "../protocol/content.ts";
import type { Message } from "../protocol/message.ts";
import type { RequestMiddleware } from "../provider/middleware.ts";
import { fence } from "../trust/fence.ts";

/**
 * Puts each text of a tool result behind the fence, in what is sent and nowhere else: clients and the log have it as
 * it was ([A] hard rule 12, ENG-14, S62, S63).
 *
 * The same block gives the same text in every request, so the prompt cache holds, and is fenced once.
 */
export function fencedResults(): RequestMiddleware {
  const done = new WeakMap<Message, Message>();
  function fenced(message: Message): Message {
    const known = done.get(message);
    if (known !== undefined) return known;
    const result = message.content.some(isResult)
      ? {
          ...message,
          content: message.content.map((block) => (isResult(block) ? fencedBlock(block) : block)),
        }
      : message;
    done.set(message, result);
    return result;
  }
  return function fencedResults(request, context, next) {
    return next({ ...request, messages: request.messages.map(fenced) }, context);
  };
}

function isResult(block: ContentBlock): block is ToolResultBlock {
  return block.type === "tool_result";
}

function fencedBlock(block: ToolResultBlock): ToolResultBlock {
  return { ...block, content: block.content.map(fencedContent) };
}

function fencedContent(content: ResultContent): ResultContent {
  if (content.type !== "text") return content;
  const text = fence("tool-result", content.text);
  return text === undefined ? content : { type: "text", text };
}
