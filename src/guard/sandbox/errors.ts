import { errorsOf } from "../../base/reasons.ts";

/** Refusals and failures of `guard/sandbox/`, with their texts for people. */
export const ERRORS = errorsOf({
  SandboxUnavailable: "There is no sandbox for commands: <why>. <then>. Remedy: <remedy>.",
  SandboxSettingUnmet: "<effect>, though [sandbox] lists <setting>: <why>. Remedy: <remedy>.",
});
