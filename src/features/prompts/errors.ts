import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";
import type { QueryKind } from "../../protocol/kinds.ts";

/** Reasons and texts of the errors of `features/prompts/`. */
export const ERRORS = errorsOf({
  PromptTemplateInvalid: "<problem>",
  UnknownPromptTemplate: "There is no prompt '<name>'. <known>",
});

/** Their HTTP statuses and exit codes, where they have one. */
export const REFUSALS: RefusalsOf<typeof ERRORS, QueryKind> = {
  UnknownPromptTemplate: { status: 404, isUsage: true, queries: ["ExpandPrompt"] },
  PromptTemplateInvalid: { status: 409, queries: ["ExpandPrompt"] },
};
