import type { Feature } from "../../session/feature.ts";
import { PROFILE_COMMANDS } from "./commands.ts";

/** The profile of a session, and switching to another one (PROF-02). */
export const profilesFeature: Feature = {
  name: "profiles",
  commands: PROFILE_COMMANDS,
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openProfiles(host),
};
