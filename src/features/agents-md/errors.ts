import { errorsOf } from "../../base/reasons.ts";

/** Reasons and texts of the errors of `features/agents-md/`. */
export const ERRORS = errorsOf({
  ContextFileUnused:
    "<file> is not read: cinch reads AGENTS.md, and there is none here. /init makes one from it; or name it under context_sources of your profile.",
});
