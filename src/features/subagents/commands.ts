import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about sub-agents. */
export const AGENT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "agents",
    help: "list the kinds of sub-agents",
    isText: true,
    does: {
      query: "ListAgents",
      fields: { sessionId: { from: "session" } },
      shows: {
        as: "list",
        field: "agents",
        line: "/agents:{name}  {description}",
        none: "There are no kinds of sub-agents.",
      },
    },
  },
  {
    name: "agents:TYPE",
    words: "TEXT",
    help: "give a task to a sub-agent of this kind",
    does: { by: "client", command: "SendInput" },
  },
];
