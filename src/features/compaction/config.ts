import type { SettingsOf, TableSection } from "../../session/config-section.ts";

const THRESHOLD_MIN = 0.1;

/** `[compaction]`: the size at which a conversation is shortened. */
export const compactionSection = {
  shape: "table",
  name: "compaction",
  about:
    "When and how a long conversation is shortened: [sessions/compaction.md](../sessions/compaction.md).",
  keys: {
    threshold: {
      kind: "number",
      key: "threshold",
      min: 0,
      unit: "share of the window, from 0.1 to 1",
      meaning: "Shortens the conversation when the model's window is this full.",
      default: 0.8,
      example: 0.8,
      check: (share: number) =>
        share < THRESHOLD_MIN || share > 1
          ? `must be a share of the window, from ${THRESHOLD_MIN} to 1`
          : undefined,
    },
    keepTurns: {
      kind: "integer",
      key: "keep_turns",
      min: 1,
      unit: "turns",
      meaning: "Leaves this many turns at the end as they are, if they fit.",
      default: 3,
      example: 3,
    },
    contextTokens: {
      kind: "integer",
      key: "context_tokens",
      min: 1_000,
      unit: "tokens",
      meaning: "Replaces the known size of the model's window.",
      otherwise: "the window that the provider or the catalogue names",
      example: 128_000,
    },
  },
} as const satisfies TableSection;

export type CompactionSettings = SettingsOf<typeof compactionSection>;
