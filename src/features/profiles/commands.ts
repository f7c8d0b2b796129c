import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about profiles. */
export const PROFILE_COMMANDS: readonly CommandSpec[] = [
  {
    name: "profile",
    help: "the profile in use, its skills, servers, tools",
    does: {
      query: "GetSessionProfile",
      fields: { sessionId: { from: "session" } },
      shows: { as: "profile" },
    },
  },
  {
    name: "profiles",
    words: "[PATH]",
    help: "the profiles that there are",
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
        after: "/profiles:NAME goes on under one of them.",
      },
    },
  },
  {
    name: "profiles:NAME",
    words: "[--import N] [--in-place]",
    help: "go on under another profile, in a new session",
    does: { by: "client", command: "SwitchProfile" },
  },
];
