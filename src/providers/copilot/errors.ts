import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `providers/copilot/`, with their texts for people. */
export const ERRORS = errorsOf({
  ModelUnavailable:
    "Provider <provider> lists the model '<model>' and refuses it to this account: <detail> Its subscription or a policy of its organisation may not have it. Take another: cinch models",
});
