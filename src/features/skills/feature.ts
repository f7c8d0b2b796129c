import type { Feature } from "../../session/feature.ts";
import { packProblems } from "./builtin/packs.ts";

/** Skills of the program, the user and the project (SKL-01). */
export const skillsFeature: Feature = {
  name: "skills",
  unusable: async (items) => (await import("./unusable-skills.ts")).unusableSkills(items),
  profileProblems: packProblems,
  async skillNames({ config, profile, ...here }) {
    const { skills } = await (await import("./skills-review.ts")).reviewSkills(here, { config, profile });
    return [...new Set(skills.map(({ skill }) => skill.name))];
  },
  isUsed: () => true,
  open: async (host) => (await import("./skills.ts")).openSkills(host),
};
