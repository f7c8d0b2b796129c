/** Flags of `cinch tasks`, beside those that say how to work. */
export const TASKS_FLAGS = [
  {
    name: "cron",
    value: "LINE",
    help: 'With tasks add: when, as five fields of cron, such as "0 9 * * mon-fri".',
    for: ["tasks"],
  },
  {
    name: "every",
    value: "TIME",
    help: "With tasks add: every so often, such as 15m, 6h or 1d.",
    for: ["tasks"],
  },
  {
    name: "time-zone",
    value: "ZONE",
    help: "With tasks add --cron: where these hours count, such as Europe/Berlin; without, this machine's.",
    for: ["tasks"],
  },
] as const;

/** What follows `cinch tasks`, and what its flags say. */
export interface TasksWords {
  readonly words: readonly string[];
  readonly json: boolean;
  readonly cron?: string;
  readonly every?: string;
  readonly at?: string;
  readonly timeZone?: string;
}

/** Whether a command line runs a task in this process. */
export function runsTasks({ words: [verb] }: Pick<TasksWords, "words">): boolean {
  return verb === "run" || verb === "run-due";
}

export function tasksWords(
  words: readonly string[],
  json: boolean,
  text: (name: "cron" | "every" | "at" | "time-zone") => string | undefined,
): TasksWords {
  const [cron, every, at, timeZone] = [text("cron"), text("every"), text("at"), text("time-zone")];
  return {
    words,
    json,
    ...(cron === undefined ? {} : { cron }),
    ...(every === undefined ? {} : { every }),
    ...(at === undefined ? {} : { at }),
    ...(timeZone === undefined ? {} : { timeZone }),
  };
}
