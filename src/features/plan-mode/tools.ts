import type { ToolFacts } from "../../tools/tool-facts.ts";

export const ENTER_PLAN_MODE_FACTS: ToolFacts = {
  name: "EnterPlanMode",
  packs: ["plan"],
  effect: "session",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "always",
  output: "own",
  kind: "switch_mode",
  alone: true,
  inSubAgents: "never",
};

export const EXIT_PLAN_MODE_FACTS: ToolFacts = {
  name: "ExitPlanMode",
  packs: ["plan"],
  effect: "session",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "always",
  output: "own",
  kind: "switch_mode",
  carries: "plan",
  alone: true,
  inSubAgents: "never",
};

export const PLAN_MODE_TOOLS: readonly ToolFacts[] = [ENTER_PLAN_MODE_FACTS, EXIT_PLAN_MODE_FACTS];
