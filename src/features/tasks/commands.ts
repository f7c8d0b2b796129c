import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands about background tasks. */
export const TASK_COMMANDS: readonly CommandSpec[] = [
  {
    name: "tasks",
    help: "what runs in the background",
    does: { by: "client" },
  },
  {
    name: "tasks:stop",
    words: "N",
    help: "end what runs in the background",
    does: { by: "client", command: "StopTask" },
  },
];
