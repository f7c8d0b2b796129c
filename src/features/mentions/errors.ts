import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/mentions/`, with their texts for people. */
export const ERRORS = errorsOf({
  FileNotAttached: "<path> did not go to the model with what you said: <why>",
});
