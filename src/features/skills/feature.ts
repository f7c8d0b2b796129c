import { settingsOf } from "../../config/settings/settings.ts";
import type { Feature } from "../../session/feature.ts";
import { packProblems } from "./builtin/packs.ts";
import { skillsCommand } from "./cli/command.ts";
import { SKILL_COMMANDS } from "./commands.ts";
import { skillPacksPart } from "./config.ts";
import { SKILL_TOOLS } from "./tools.ts";
import { SKILL_FILES } from "./trust-files.ts";

/** Skills of the program, the user and the project (SKL-01). */
export const skillsFeature: Feature = {
  name: "skills",
  config: [skillPacksPart],
  tools: SKILL_TOOLS,
  commands: SKILL_COMMANDS,
  cli: skillsCommand,
  trust: {
    layouts: SKILL_FILES,
    unusable: async (items) => (await import("./format/unusable-skills.ts")).findUnusableSkills(items),
  },
  check: { profile: packProblems },
  offers: {
    profile: (profile) => ({ skill_packs: [...settingsOf(skillPacksPart, { profile }).skillPacks] }),
    async skills({ profile, judge, ...here }) {
      const { skills } = await (await import("./skills-review.ts")).reviewSkills(here, { profile, judge });
      return [...new Set(skills.map(({ skill }) => skill.name))];
    },
  },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openSkills(host),
};
