import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/prompts/`, with their texts for people. */
export const ERRORS = errorsOf({
  PromptTemplateInvalid: "<problem>",
  UnknownPromptTemplate: "There is no prompt '<name>'. <known>",
});
