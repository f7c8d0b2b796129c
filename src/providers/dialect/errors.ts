import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `providers/dialect/`, with their texts for people. */
export const ERRORS = errorsOf({
  ProviderQuotaExceeded: "Provider <provider> says the quota or credit is used up: <detail>",
  StreamMalformed: "Provider <provider> sent something that is not its protocol: <detail>",
  ContextOverflow: "The conversation no longer fits into the context window of <model>: <detail>",
  UnsupportedContent: "The model <model> takes no <content>. Leave it out or pick another model.",
  ContentLeftOut:
    "The model <model> takes no <content>. A text note replaces this content in its requests. The session keeps the original for a model that takes it.",
  ResponseRefused: "The model <model> or its provider declined to answer (<detail>).",
});
