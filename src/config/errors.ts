import { errorsOf } from "../base/reasons.ts";

/** Refusals and failures of `config/`, with their texts for people. */
export const ERRORS = errorsOf({
  ConfigInvalid: "<path>:<line>: <key>: <problem>",
  ProfileMissing: "There is no profile '<name>'.<meant> Known: <known>; a path must exist.",
});
