import type { Feature } from "../../session/feature.ts";

/** Skills of the program, the user and the project (SKL-01). */
export const skillsFeature: Feature = {
  name: "skills",
  isUsed: () => true,
  open: async (host) => (await import("./skills.ts")).openSkills(host),
};
