import type { Feature } from "../../session/feature.ts";

/** Sub-agents inside a session, and tasks for a cheaper model in a session of their own (ENG-10, ENG-23). */
export const subagentsFeature: Feature = {
  name: "subagents",
  checks: [{ area: "worktrees", load: () => import("./worktree/doctor-worktrees.ts") }],
  isUsed: () => true,
  open: async (host) => (await import("./open.ts")).openSubagents(host),
};
