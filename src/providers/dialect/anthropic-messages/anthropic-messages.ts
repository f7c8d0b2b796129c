import { objectAt, stringAt } from "../../../base/json.ts";
import type { Dialect } from "../dialect.ts";
import { anthropicBody } from "./anthropic-body.ts";
import { AnthropicAnswerReader, anthropicTextIn } from "./anthropic-stream.ts";

/** The Messages API of Anthropic, which others serve too (PROV-02). */
export const anthropicMessages: Dialect = {
  name: "anthropic-messages",
  path: "/messages",
  carries: () => ["image", "pdf"],
  body: anthropicBody,
  openAnswer: (context, emit, listener) => new AnthropicAnswerReader(context, emit, listener),
  modelIn: (event) => stringAt(objectAt(event, "message"), "model"),
  textIn: anthropicTextIn,
};
