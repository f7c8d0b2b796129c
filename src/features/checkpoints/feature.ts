import type { Feature } from "../../session/feature.ts";

/** Files recorded before a turn changes them, and RewindSession (SES-15). */
export const checkpointsFeature: Feature = {
  name: "checkpoints",
  checks: [{ area: "checkpoints", load: () => import("./doctor-checkpoints.ts") }],
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openCheckpointing(host),
};
