/** Pages of `cinch help` that are not about one command. */
export const HELP_TOPICS = ["flags", "exit-codes"] as const;
