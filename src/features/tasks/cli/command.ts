import type { CliCommand } from "../../../session/commands/cli-command.ts";
import { TASKS_FLAGS, TASKS_SETTINGS, TASKS_VERBS } from "./flags.ts";

export const tasksCommand: CliCommand = {
  name: "tasks",
  brief: "prompts that run later",
  summary: "Stores prompts that run later, and shows how their runs ended.",
  about: "They run while an engine of yours runs, such as cinch serve, or with cinch tasks run-due.",
  flags: TASKS_FLAGS,
  settings: TASKS_SETTINGS,
  verbs: TASKS_VERBS,
  examples: [
    { line: 'cinch tasks add news "Summarise new issues." --every 6h', does: "runs every six hours" },
    { line: "cinch tasks list", does: "lists the tasks and their next runs" },
  ],
  page: "tasks.md",
  load: () => import("./run.ts"),
};
