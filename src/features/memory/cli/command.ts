import type { CliCommand } from "../../../session/commands/cli-command.ts";
import { COMMON_SETTINGS } from "../../../session/commands/cli-command.ts";
import { MEMORY_FLAGS, MEMORY_VERBS } from "./flags.ts";

export const memoryCommand: CliCommand = {
  name: "memory",
  brief: "notes of earlier sessions",
  summary: "Shows and deletes what the model has remembered of earlier sessions here.",
  flags: MEMORY_FLAGS,
  settings: COMMON_SETTINGS,
  verbs: MEMORY_VERBS,
  examples: [
    { line: "cinch memory list --json", does: "lists the memories for a program" },
    { line: "cinch memory show build-command", does: "prints one" },
  ],
  page: "memory.md",
  load: () => import("./run.ts"),
};
