import type { Feature } from "../../session/feature.ts";
import { agentsCommand } from "./cli/command.ts";
import { AGENT_COMMANDS } from "./commands.ts";
import { agentsSection, delegateSection } from "./config.ts";
import { AGENT_FILES } from "./definitions/trust-files.ts";
import { AGENT_TOOLS } from "./tools.ts";

/** Sub-agents inside a session, and tasks for a cheaper model in a session of their own (ENG-10, ENG-23). */
export const subagentsFeature: Feature = {
  name: "subagents",
  config: [agentsSection, delegateSection],
  tools: AGENT_TOOLS,
  commands: AGENT_COMMANDS,
  cli: agentsCommand,
  trust: { layouts: AGENT_FILES },
  check: { doctor: [{ area: "worktrees", load: () => import("./worktree/doctor-worktrees.ts") }] },
  serving: { handshake: [{ name: "delegate", order: 30 }] },
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openSubagents(host),
};
