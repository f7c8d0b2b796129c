import type { CommandSpec } from "../../protocol/commands/command-spec.ts";

/** Slash commands of plan mode. */
export const PLAN_COMMANDS: readonly CommandSpec[] = [
  {
    name: "plan",
    words: "[off]",
    help: "plan first: nothing changes until you approve it",
    does: { by: "client", command: "EnterPlanMode" },
  },
];
