import type { ToolFacts } from "../../tools/tool-facts.ts";

export const SCHEDULE_TASK_FACTS: ToolFacts = {
  name: "ScheduleTask",
  packs: ["tasks"],
  effect: "keeps",
  mutating: true,
  level: "DangerFullAccess",
  autoAllowed: "never",
  output: "own",
  kind: "other",
  inSubAgents: "granted",
};

export const TASK_TOOLS: readonly ToolFacts[] = [SCHEDULE_TASK_FACTS];
