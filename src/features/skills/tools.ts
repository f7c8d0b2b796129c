import type { ToolFacts } from "../../tools/tool-facts.ts";

export const SKILL_FACTS: ToolFacts = {
  name: "Skill",
  packs: ["skills"],
  effect: "session",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "always",
  output: "own",
  kind: "other",
  inSubAgents: "for-its-skills",
};

export const SKILL_WRITE_FACTS: ToolFacts = {
  name: "SkillWrite",
  packs: ["skills"],
  effect: "writes-files",
  mutating: true,
  level: "WorkspaceWrite",
  autoAllowed: "never",
  output: "own",
  kind: "edit",
  inSubAgents: "granted",
};

export const SKILL_TOOLS: readonly ToolFacts[] = [SKILL_FACTS, SKILL_WRITE_FACTS];
