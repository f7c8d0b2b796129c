import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `session/history/`, with their texts for people. */
export const ERRORS = errorsOf({
  NotABoundary: "Event <at> of the session <id> is not <wanted>. The nearest: <nearest>.",
});
