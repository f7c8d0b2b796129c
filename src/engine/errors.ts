import { errorsOf } from "../base/reasons.ts";

/** Refusals and failures of `engine/`, with their texts for people. */
export const ERRORS = errorsOf({
  EmptyResponse:
    "The model <model> answered with nothing: no text, no thinking, no tool call. Send again, or choose another model.",
  OutputTruncated:
    "The answer of <model> was cut off at its output limit of <tokens> tokens. Ask it to continue, or raise output_tokens under [limits].",
  TurnLimitReached:
    "The turn was ended at its limit of rounds (<rounds>). Send again to go on, or raise --max-turns.",
  OrphanUnsettled:
    "The last run ended while <call> was running (started <started>). It may have taken effect, wholly or in part. Find out what it did, then answer the question that the session asks. Or use cinch -p … --continue with --orphans fail, --orphans done=NOTE or --orphans abort.",
});
