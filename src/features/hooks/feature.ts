import { settingsOf } from "../../config/settings/settings.ts";
import type { Feature } from "../../session/feature.ts";
import { HOOK_COMMANDS } from "./commands.ts";
import { hooksSection, projectHooksPart } from "./config.ts";
import { HOOK_FILES } from "./trust-files.ts";

/**
 * Programs that run at moments of a session: before and after calls, with a prompt, at the end of a turn
 * (HOOK-01, HOOK-02).
 */
export const hooksFeature: Feature = {
  name: "hooks",
  config: [hooksSection, projectHooksPart],
  commands: HOOK_COMMANDS,
  trust: {
    layouts: HOOK_FILES,
    steering: async (at) => (await import("./open.ts")).hookScriptPaths(at),
  },
  check: {
    settings: async (settings) => (await import("./check-hooks.ts")).hookMistakes(settings),
    files: async (at) => (await import("./check-hooks.ts")).checkHookFiles(at),
  },
  offers: {
    profile: (profile) => ({
      allow_project_hooks: settingsOf(projectHooksPart, { profile }).allowProjectHooks,
    }),
  },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openHooks(host),
};
