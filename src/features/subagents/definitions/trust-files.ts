import type { TrustLayout } from "../../../session/guard/trust.ts";

/** Files that define kinds of sub-agents. */
export const AGENT_FILES: readonly TrustLayout[] = [
  { kind: "agent", in: "project", folder: ".cinch/agents", names: /\.md$/, order: 100 },
  { kind: "agent", in: "project", folder: ".agents/agents", names: /\.md$/, order: 140 },
  { kind: "agent", in: "user", folder: "agents", names: /\.md$/, order: 30 },
];
