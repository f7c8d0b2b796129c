import type { RefusalsOf } from "../../base/reasons.ts";
import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `features/profiles/`, with their texts for people. */
export const ERRORS = errorsOf({
  ProfileInUse:
    "The session is on profile '<name>' already: nothing was changed. Without --in-place a new session begins under it.",
});

/** Their HTTP statuses and exit codes. */
export const REFUSALS: RefusalsOf<typeof ERRORS> = {
  ProfileInUse: { status: 409 },
};
