import { errorsOf } from "../base/reasons.ts";

/** Refusals and failures of `platform/`, with their texts for people. */
export const ERRORS = errorsOf({
  TemporaryUnusable: "The temporary folder <path> cannot be used: <problem>. <remedy>",
  DiskUnwritable: "<path> cannot be written: <problem>. <remedy>",
});
