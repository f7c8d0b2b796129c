import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about background tasks. */
export const TASK_COMMANDS: readonly CommandSpec[] = [
  {
    name: "tasks",
    help: "list background tasks",
    does: { by: "client" },
  },
  {
    name: "tasks:stop",
    words: "N",
    help: "stop a background task",
    does: { by: "client", command: "StopTask" },
  },
];
