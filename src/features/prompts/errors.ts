import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/prompts/`, with their texts for people. */
export const ERRORS = errorsOf({
  PromptTemplateInvalid: "<problem>",
  UnknownPromptTemplate: "There is no prompt '<name>'. <known>",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  UnknownPromptTemplate: { status: 404, isUsage: true },
};
