import type { Feature } from "../../session/feature.ts";
import { COMPACTION_COMMANDS } from "./commands.ts";
import { compactionSection } from "./config.ts";

/** Compaction of histories that outgrow the model's window (SES-13). */
export const compactionFeature: Feature = {
  name: "compaction",
  config: [compactionSection],
  commands: COMPACTION_COMMANDS,
  inPrograms: {
    settings: ({ contextTokens }) =>
      new Map(contextTokens === undefined ? [] : [[compactionSection.name, { contextTokens }]]),
  },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openCompaction(host),
};
