import type { Feature } from "../../session/feature.ts";

/** System text of a session, with the repository's notes for agents (CTX-01, ENG-14). */
export const agentsMdFeature: Feature = {
  name: "agents-md",
  trust: { items: async (at) => (await import("./agents-md.ts")).readContextFiles(at) },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openAgentsMd(host),
};
