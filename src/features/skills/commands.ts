import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** The slash commands about skills. */
export const SKILL_COMMANDS: readonly CommandSpec[] = [
  {
    name: "skills",
    help: "the skills that there are here",
    isText: true,
    does: {
      query: "ListSkills",
      fields: { sessionId: { from: "session" } },
      shows: {
        as: "list",
        field: "skills",
        line: "{name} ({source}): {description}",
        none: "There are no skills.",
        notes: "notices",
      },
    },
  },
  {
    name: "skills:NAME",
    words: "[TEXT]",
    help: "have the model work with a skill",
    does: { by: "client", command: "SendInput" },
  },
  {
    name: "skills:reload",
    help: "look at all skills anew; asks about what has changed",
    does: { by: "client", command: "ReloadSkills" },
  },
];
