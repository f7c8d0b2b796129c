import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `guard/permissions/`, with their texts for people. */
export const ERRORS = errorsOf({
  PermissionDenied:
    "Permission denied for <tool> by <client>. To allow: re-prompt and pick 'Allow once / argv-glob / tool / session'.",
  PermissionTimeout: "Permission for <tool> not answered within <timeout>s. Tool call cancelled.",
});
