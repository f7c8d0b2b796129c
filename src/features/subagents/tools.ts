import type { ToolFacts } from "../../tools/tool-facts.ts";

export const AGENT_FACTS: ToolFacts = {
  name: "Agent",
  otherNames: ["Task"],
  packs: ["agents"],
  effect: "starts-agents",
  // Its work may change something, so an interrupted call is never repeated automatically.
  mutating: true,
  level: "ReadOnly",
  autoAllowed: "at-its-level",
  output: "foreign",
  kind: "other",
  inSubAgents: "granted",
};

export const DELEGATE_FACTS: ToolFacts = {
  name: "Delegate",
  packs: ["agents"],
  effect: "starts-agents",
  mutating: true,
  level: "ReadOnly",
  autoAllowed: "at-its-level",
  output: "foreign",
  kind: "other",
  inSubAgents: "never",
};

export const AGENT_TOOLS: readonly ToolFacts[] = [AGENT_FACTS, DELEGATE_FACTS];
