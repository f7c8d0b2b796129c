import type { Feature } from "../../session/feature.ts";

/** Files and folders that an input names with an at sign (CTX-03). */
export const mentionsFeature: Feature = {
  name: "mentions",
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openMentions(host),
};
