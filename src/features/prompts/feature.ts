import type { Feature } from "../../session/feature.ts";
import { PROMPT_COMMANDS } from "./commands.ts";

/** Prompt templates and command aliases (CTX-03, CMD-02). */
export const promptsFeature: Feature = {
  name: "prompts",
  commands: PROMPT_COMMANDS,
  checks: [{ area: "prompts", load: () => import("./doctor-prompts.ts") }],
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openPrompts(host),
};
