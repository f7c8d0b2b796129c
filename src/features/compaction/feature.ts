import type { Feature } from "../../session/feature.ts";

/** Compaction of histories that outgrow the model's window (SES-13). */
export const compactionFeature: Feature = {
  name: "compaction",
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openCompaction(host),
};
