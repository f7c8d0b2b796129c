import type { CliContext, CliFlag, CliVerb, SettingName } from "../../../session/commands/cli-command.ts";

export const TASKS_FLAGS = [
  {
    name: "cron",
    kind: "text",
    placeholder: "LINE",
    help: 'Five fields of cron, such as "0 9 * * mon-fri".',
    excludes: ["every", "at"],
  },
  { name: "every", kind: "text", placeholder: "TIME", help: "An interval: 15m, 6h or 1d.", excludes: ["at"] },
  { name: "at", kind: "text", placeholder: "MOMENT", help: "Once, such as 2026-03-01T09:00+01:00." },
  {
    name: "time-zone",
    kind: "text",
    placeholder: "ZONE",
    help: "The time zone of --cron, such as Europe/Berlin. Default: this machine's.",
    needs: ["cron"],
  },
  { name: "json", kind: "switch", help: "Write JSON, one object a line, for programs." },
] as const satisfies readonly CliFlag[];

/** Settings of every verb. A stored task has its own profile. */
export const TASKS_SETTINGS = ["cwd", "log-to-stderr", "log-level", "insecure-dev-key"] as const;

const TASK_SETTINGS = [
  ...TASKS_SETTINGS,
  ...(["profile", "model", "level", "max-turns", "max-cost", "max-time"] as const),
] as const satisfies readonly SettingName[];
const NAME = { name: "NAME", help: "the name of a task, as cinch tasks list shows it" };
const words = [NAME];
const flags = ["json"] as const;

export const TASKS_VERBS = [
  {
    name: "list",
    summary: "Lists the tasks, when each runs next and how it ended last.",
    flags,
    examples: [
      { line: "cinch tasks list", does: "lists them" },
      { line: "cinch tasks list --json", does: "for a program" },
    ],
  },
  {
    name: "add",
    summary: "Stores a prompt to run later, in this directory.",
    words: [
      { name: "NAME", help: "a name for the task" },
      { name: "PROMPT", help: "the prompt, in quotes; without it, standard input", optional: true },
    ],
    tooMany: "put the prompt in quotes",
    flags: ["cron", "every", "at", "time-zone", "json"],
    settings: TASK_SETTINGS,
    required: [["cron", "every", "at"]],
    examples: [
      {
        line: 'cinch tasks add evening "Review what changed today." --cron "0 18 * * mon-fri"',
        does: "each working day at 18:00",
      },
      { line: 'cinch tasks add look "Look for new issues." --every 1d', does: "once a day" },
    ],
  },
  {
    name: "remove",
    summary: "Deletes a task.",
    words,
    flags,
    examples: [
      { line: "cinch tasks remove review", does: "deletes it" },
      { line: "cinch tasks remove review --json", does: "for a program" },
    ],
  },
  {
    name: "enable",
    summary: "Lets a task run again.",
    words,
    flags,
    examples: [
      { line: "cinch tasks enable review", does: "lets it run" },
      { line: "cinch tasks enable review --json", does: "for a program" },
    ],
  },
  {
    name: "disable",
    summary: "Keeps a task from running.",
    words,
    flags,
    examples: [
      { line: "cinch tasks disable review", does: "keeps it from running" },
      { line: "cinch tasks disable review --json", does: "for a program" },
    ],
  },
  {
    name: "run",
    summary: "Runs a task now and prints its answer.",
    words,
    flags,
    settings: [...TASKS_SETTINGS, "max-time"],
    needs: "engine",
    examples: [
      { line: "cinch tasks run review", does: "runs it now", needs: "a key" },
      { line: "cinch tasks run review --json", does: "for a program", needs: "a key" },
    ],
  },
  {
    name: "run-due",
    summary: "Runs what is due now.",
    flags,
    settings: [...TASKS_SETTINGS, "max-time"],
    needs: "engine",
    examples: [
      { line: "cinch tasks run-due", does: "for a line in your own crontab" },
      { line: "cinch tasks run-due --json", does: "for a program" },
    ],
  },
  {
    name: "log",
    summary: "Lists the past runs of a task.",
    words,
    flags,
    examples: [
      { line: "cinch tasks log review", does: "lists them" },
      { line: "cinch tasks log review --json", does: "for a program" },
    ],
  },
] as const satisfies readonly CliVerb[];

export type TasksContext = CliContext<typeof TASKS_FLAGS, (typeof TASKS_VERBS)[number]["name"]>;
