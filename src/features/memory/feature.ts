import { settingsOf } from "../../config/settings/settings.ts";
import type { Feature } from "../../session/feature.ts";
import { memoryCommand } from "./cli/command.ts";
import { MEMORY_COMMANDS } from "./commands.ts";
import { memorySection } from "./config.ts";
import { MEMORY_TOOLS } from "./tools.ts";

/** Memories between sessions (CTX-02). */
export const memoryFeature: Feature = {
  name: "memory",
  config: [memorySection],
  tools: MEMORY_TOOLS,
  commands: MEMORY_COMMANDS,
  cli: memoryCommand,
  isUsed: (plan) => settingsOf(memorySection, plan).enabled,
  open: async (host) => (await import("./open.ts")).openMemory(host),
};
