import { settingsOf } from "../../config/settings/settings.ts";
import type { Feature } from "../../session/feature.ts";
import { contextSourcesPart } from "./config.ts";

/** System text of a session, with the repository's notes for agents (CTX-01, ENG-14). */
export const agentsMdFeature: Feature = {
  name: "agents-md",
  config: [contextSourcesPart],
  trust: { items: async (at) => (await import("./agents-md.ts")).readContextFiles(at) },
  offers: {
    profile: (profile) => ({
      context_sources: [...settingsOf(contextSourcesPart, { profile }).contextSources],
    }),
  },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openAgentsMd(host),
};
