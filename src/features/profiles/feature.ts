import type { Feature } from "../../session/feature.ts";

/** The profile of a session, and switching to another one (PROF-02). */
export const profilesFeature: Feature = {
  name: "profiles",
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openProfiles(host),
};
