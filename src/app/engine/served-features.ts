/** Optional features that a client may rely on here, by the names of [A] § Handshake; `inproc` is our own. */
export const SERVED_FEATURES = [
  "plan_mode",
  "branching",
  "delegate",
  "auto_approve",
  "auto_attach_on_mcp",
  "inproc",
] as const;
