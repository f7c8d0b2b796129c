import type { SettingsOf, TableSection } from "../../session/config-section.ts";

/** `[checkpoint]`: copies of files from before a turn changed them (SES-15). */
export const checkpointSection = {
  shape: "table",
  name: "checkpoint",
  about:
    "Copies of files from before a turn changed them, for `/rewind`: [sessions/rewind.md](../sessions/rewind.md).",
  keys: {
    enabled: {
      kind: "boolean",
      key: "enabled",
      meaning: "Keeps files before they change. Without it they cannot be set back.",
      default: true,
      example: false,
    },
    required: {
      kind: "boolean",
      key: "required",
      meaning: "Refuses a call whose files cannot be kept. Without it the call runs, and a notice says so.",
      default: false,
      example: true,
    },
    bytesMax: {
      kind: "integer",
      key: "bytes_max",
      min: 1,
      unit: "bytes",
      meaning: "Disk space of the checkpoints of all sessions.",
      default: 1_073_741_824,
      example: 1_073_741_824,
    },
  },
} as const satisfies TableSection;

export type CheckpointSettings = SettingsOf<typeof checkpointSection>;
