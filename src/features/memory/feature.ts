import type { Feature } from "../../session/feature.ts";
import { MEMORY_TOOLS } from "./tools.ts";

/** Memories between sessions (CTX-02). */
export const memoryFeature: Feature = {
  name: "memory",
  tools: MEMORY_TOOLS,
  isUsed: ({ profile, config }) => (config.memory?.enabled ?? profile.memory?.enabled) !== false,
  open: async (host) => (await import("./open.ts")).openMemory(host),
};
