import type { ToolFacts } from "../../tools/tool-facts.ts";

export const MEMORY_READ_FACTS: ToolFacts = {
  name: "MemoryRead",
  packs: ["memory"],
  effect: "session",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "always",
  output: "own",
  kind: "other",
  inSubAgents: "granted",
};

export const MEMORY_WRITE_FACTS: ToolFacts = {
  name: "MemoryWrite",
  packs: ["memory"],
  effect: "keeps",
  mutating: true,
  level: "WorkspaceWrite",
  autoAllowed: "never",
  output: "own",
  kind: "other",
  inSubAgents: "granted",
};

export const MEMORY_FORGET_FACTS: ToolFacts = {
  name: "MemoryForget",
  packs: ["memory"],
  effect: "keeps",
  mutating: true,
  level: "WorkspaceWrite",
  autoAllowed: "never",
  output: "own",
  kind: "other",
  inSubAgents: "granted",
};

export const MEMORY_TOOLS: readonly ToolFacts[] = [
  MEMORY_READ_FACTS,
  MEMORY_WRITE_FACTS,
  MEMORY_FORGET_FACTS,
];
