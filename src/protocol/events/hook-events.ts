/** Events that run hooks ([A] § Hook timeouts), as HookTimeout and HookError name them. No schema is loaded. */
export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "Compact",
  "Stop",
] as const;

export type HookEvent = (typeof HOOK_EVENTS)[number];
