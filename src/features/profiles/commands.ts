import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about profiles. */
export const PROFILE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "profile",
    help: "profile in use, its skills, servers and tools",
    does: {
      query: "GetSessionProfile",
      fields: { sessionId: { from: "session" } },
      shows: { as: "profile" },
    },
  },
  {
    name: "profiles",
    words: "[PATH]",
    help: "list the profiles",
    does: {
      query: "ListProfiles",
      fields: { sessionId: { from: "session" } },
      shows: {
        as: "list",
        field: "profiles",
        line: "{name}  {source}",
        words: { user: "yours" },
        mark: { field: "current", key: "name" },
        none: "There are no profiles.",
        after: "/profiles:NAME switches to one of them.",
      },
    },
  },
  {
    name: "profiles:NAME",
    words: "[--import N] [--in-place]",
    help: "switch to another profile, in a new session",
    does: { by: "client", command: "SwitchProfile" },
  },
];
