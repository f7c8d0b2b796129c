import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash command about hooks. */
export const HOOK_COMMANDS: readonly CommandSpec[] = [
  {
    name: "hooks",
    help: "the hooks of this session",
    does: {
      query: "ListHooks",
      fields: { sessionId: { from: "session" } },
      shows: {
        as: "list",
        field: "hooks",
        line: "  {event}[  {matcher}]  {command}  ({source})",
        none: "This session has no hooks.",
      },
    },
  },
];
