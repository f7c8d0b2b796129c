import type { TableSection } from "../../session/config-section.ts";

/** `[session]`: the life of a session. */
export const sessionSection = {
  shape: "table",
  name: "session",
  about: "When a session ends by itself, and how long it is kept: [sessions.md](../sessions.md).",
  keys: {
    idleTimeoutMs: {
      kind: "duration",
      key: "idle_timeout",
      zero: "never",
      meaning: "Ends a session after this time without a client and without work.",
      default: "30m",
      example: "45m",
    },
    ttlDays: {
      kind: "integer",
      key: "ttl_days",
      min: 0,
      unit: "days",
      meaning: "Destroys content that is older. 0 keeps it; pinned sessions are kept.",
      default: 30,
      example: 90,
    },
  },
} as const satisfies TableSection;
