import type { Feature } from "../../session/feature.ts";
import { PROMPT_COMMANDS } from "./commands.ts";
import { PROMPT_FILES } from "./trust-files.ts";

/** Prompt templates and command aliases (CTX-03, CMD-02). */
export const promptsFeature: Feature = {
  name: "prompts",
  commands: PROMPT_COMMANDS,
  trust: {
    layouts: PROMPT_FILES,
    errors: async (items) => (await import("./read-prompt-files.ts")).promptErrors(items),
  },
  check: {
    doctor: [{ area: "prompts", load: () => import("./doctor-prompts.ts") }],
    files: async (at) => (await import("./check-aliases.ts")).checkAliasFiles(at),
  },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openPrompts(host),
};
