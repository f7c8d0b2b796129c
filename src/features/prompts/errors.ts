import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Reasons and texts of the errors of `features/prompts/`. */
export const ERRORS = errorsOf({
  PromptTemplateInvalid: "<problem>",
  UnknownPromptTemplate: "There is no prompt '<name>'. <known>",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  UnknownPromptTemplate: { status: 404, isUsage: true },
};
