import { errorsOf } from "../base/reasons.ts";

/** Refusals and failures of `engine/`, with their texts for people. */
export const ERRORS = errorsOf({
  EmptyResponse: "The model <model> answered with nothing: no text, no thinking, no tool call.",
  OutputTruncated: "The answer of <model> was cut off at its output limit of <tokens> tokens.",
  TurnLimitReached:
    "The turn was ended at its limit of rounds (<rounds>). Send again to go on, or raise --max-turns.",
  OrphanUnsettled:
    "The last run ended while <call> was running (started <started>). It may have taken effect, wholly or in part. Look, then say what became of it: answer the question that the session asks, or go on with cinch -p … --continue --orphans fail, --orphans done=NOTE or --orphans abort.",
});
