import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/compaction/`, with their texts for people. */
export const ERRORS = errorsOf({
  PromptTooLarge:
    "This prompt alone takes about <tokens> tokens, and <model> has room for about <room> in its window of <window>. Shorten it, or put the text into a file and name that. The session continues.",
  CompactionStuck:
    "The conversation takes about <tokens> tokens, <model> has a window of <window>, and it cannot be made smaller. Choose a model with a larger window (/model, --model), or start a new session. This one keeps everything.",
});

/** Their HTTP statuses, and how they end a turn. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  PromptTooLarge: { status: 413 },
  CompactionStuck: { status: 409, endsTurn: "no_progress" },
};
