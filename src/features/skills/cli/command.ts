import type { CliCommand } from "../../../session/commands/cli-command.ts";
import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import { SKILLS_FLAGS, SKILLS_VERBS } from "./flags.ts";

export const skillsCommand: CliCommand = {
  name: "skills",
  brief: "list and check skills",
  summary: "Lists and prints skills, and checks them against the open specification.",
  flags: SKILLS_FLAGS,
  settings: COMMON_SETTINGS,
  verbs: SKILLS_VERBS,
  examples: [
    { line: "cinch skills list", does: "lists those that a session here would find" },
    { line: "cinch skills check", does: "checks yours and the project's" },
  ],
  page: "skills.md",
  load: () => import("./run.ts"),
};
