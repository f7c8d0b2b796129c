import { objectAt, stringAt } from "../../../base/json.ts";
import type { Dialect } from "../dialect.ts";
import { anthropicBody } from "./anthropic-body.ts";
import { AnthropicAnswer } from "./anthropic-stream.ts";

/** The Messages API of Anthropic, which others serve too (PROV-02). */
export const anthropicMessages: Dialect = {
  name: "anthropic-messages",
  path: "/messages",
  body: anthropicBody,
  begin: (dress, emit) => new AnthropicAnswer(dress, emit),
  modelIn: (event) => stringAt(objectAt(event, "message"), "model"),
};
