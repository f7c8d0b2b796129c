import { stringAt } from "../../../base/json.ts";
import type { Dialect } from "../dialect.ts";
import { openAiChatBody } from "./openai-chat-body.ts";
import { ChatAnswerReader, chatTextIn } from "./openai-chat-stream.ts";

/** Chat completions, served by OpenRouter, Z.AI and most local servers (PROV-03, PROV-04, PROV-05). */
export const openaiChat: Dialect = {
  name: "openai-chat",
  path: "/chat/completions",
  // Only some servers of this format know `file` parts.
  carries: (quirks) => ["image", "audio", ...(quirks?.fileParts === true ? (["pdf"] as const) : [])],
  body: openAiChatBody,
  openAnswer: (context, emit, listener) => new ChatAnswerReader(context, emit, listener),
  modelIn: (chunk) => stringAt(chunk, "model"),
  textIn: (_type, chunk) => chatTextIn(chunk),
};
