import type { Feature } from "../../session/feature.ts";

/** Prompt templates and aliases of commands that a person has written (CTX-03, CMD-02). */
export const promptsFeature: Feature = {
  name: "prompts",
  checks: [{ area: "prompts", load: () => import("./doctor-prompts.ts") }],
  isUsed: () => true,
  open: async (host) => (await import("./prompt-templates.ts")).openPrompts(host),
};
