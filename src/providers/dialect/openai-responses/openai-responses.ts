import { objectAt, stringAt } from "../../../base/json.ts";
import type { Dialect } from "../dialect.ts";
import { openAiResponsesBody } from "./openai-responses-body.ts";
import { ResponsesAnswerReader } from "./openai-responses-stream.ts";

/** The Responses API of OpenAI (PROV-05). */
export const openaiResponses: Dialect = {
  name: "openai-responses",
  path: "/responses",
  carries: () => ["image", "pdf"],
  body: openAiResponsesBody,
  openAnswer: (context, emit, listener) => new ResponsesAnswerReader(context, emit, listener),
  modelIn: (event) => stringAt(objectAt(event, "response"), "model"),
};
