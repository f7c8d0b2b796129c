import { errorsOf } from "../../base/reasons.ts";

/** Reasons and texts of the errors of `features/notify/`. */
export const ERRORS = errorsOf({
  NotifyFailed:
    "Notifications do not reach '<host>': <problem>. Each further one is tried once; /health counts them.",
});
