import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `server/ws/`, with their texts for people. */
export const ERRORS = errorsOf({
  InvalidFrame: "The frame cannot be read: <why>.",
});
