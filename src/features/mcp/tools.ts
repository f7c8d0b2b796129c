import type { ToolFacts } from "../../tools/tool-facts.ts";

export const LIST_RESOURCES_FACTS: ToolFacts = {
  name: "ListMcpResources",
  packs: [],
  effect: "asks-servers",
  mutating: false,
  level: "ReadOnly",
  autoAllowed: "never",
  output: "foreign",
  kind: "other",
  inSubAgents: "granted",
};

export const READ_RESOURCE_FACTS: ToolFacts = {
  name: "ReadMcpResource",
  packs: [],
  effect: "asks-servers",
  mutating: true,
  level: "WorkspaceWrite",
  autoAllowed: "never",
  output: "foreign",
  kind: "other",
  inSubAgents: "granted",
};

/** Tools of every session with MCP servers. They belong to no pack. */
export const MCP_TOOLS: readonly ToolFacts[] = [LIST_RESOURCES_FACTS, READ_RESOURCE_FACTS];

/** Facts of every tool of a server. What a server claims about its tools is not trusted. */
export const SERVER_TOOL_FACTS: Omit<ToolFacts, "name"> = {
  packs: [],
  effect: "unknown",
  mutating: true,
  level: "WorkspaceWrite",
  autoAllowed: "never",
  output: "foreign",
  kind: "other",
  inSubAgents: "granted",
};
