import type { Feature } from "../../session/feature.ts";
import { CHECKPOINT_COMMANDS } from "./commands.ts";
import { checkpointSection } from "./config.ts";

/** Files recorded before a turn changes them, and RewindSession (SES-15). */
export const checkpointsFeature: Feature = {
  name: "checkpoints",
  config: [checkpointSection],
  commands: CHECKPOINT_COMMANDS,
  check: { doctor: [{ area: "checkpoints", load: () => import("./doctor-checkpoints.ts") }] },
  stored: {
    logFiles: async () => (await import("./checkpoint-log-files.ts")).checkpointLogFiles,
    queries: {
      kinds: ["GetChanges"],
      load: async (host) => (await import("./changes/answer-changes.ts")).storedChanges(host),
    },
  },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openCheckpointsFeature(host),
};
