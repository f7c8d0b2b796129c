import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about skills. */
export const SKILL_COMMANDS: readonly CommandSpec[] = [
  {
    name: "skills",
    help: "list the skills",
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
    help: "use a skill for this input",
    does: { by: "client", command: "SendInput" },
  },
  {
    name: "skills:reload",
    help: "reload all skills; asks about changed ones",
    does: { by: "client", command: "ReloadSkills" },
  },
];
