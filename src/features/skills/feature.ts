import type { Feature } from "../../session/feature.ts";
import { packProblems } from "./builtin/packs.ts";
import { skillsCommand } from "./cli/command.ts";
import { SKILL_COMMANDS } from "./commands.ts";
import { SKILL_TOOLS } from "./tools.ts";
import { SKILL_FILES } from "./trust-files.ts";

/** Skills of the program, the user and the project (SKL-01). */
export const skillsFeature: Feature = {
  name: "skills",
  tools: SKILL_TOOLS,
  commands: SKILL_COMMANDS,
  cli: skillsCommand,
  trust: {
    layouts: SKILL_FILES,
    unusable: async (items) => (await import("./unusable-skills.ts")).findUnusableSkills(items),
  },
  check: { profile: packProblems },
  offers: {
    async skills({ profile, judge, ...here }) {
      const { skills } = await (await import("./skills-review.ts")).reviewSkills(here, { profile, judge });
      return [...new Set(skills.map(({ skill }) => skill.name))];
    },
  },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openSkills(host),
};
