/**
 * Imports up or on one layer that are left from the time before features had a contract: from, to, and what removes them.
 *
 * The count may only fall; `test/layers.test.ts` holds it.
 */
export const KNOWN: readonly (readonly [from: string, to: string, reason: string])[] = [
  [
    "features/plugins/plugin-host.ts",
    "platform/external-module.ts",
    "until the World or SessionHost offers it",
  ],
  ["features/plugins/plugin-host.ts", "platform/stray-errors.ts", "until the World or SessionHost offers it"],
  [
    "features/plugins/plugin-report.ts",
    "app/engine/open-store.ts",
    "until SessionHost and EngineHost offer it",
  ],
  ["features/subagents/agents-check.ts", "app/models/model-problem.ts", "until SessionHost offers models"],
  [
    "guard/sandbox/proxy/sandbox-network.ts",
    "platform/sockets/sockets.ts",
    "until the World or SessionHost offers it",
  ],
  ["session/plan.ts", "config/config.ts", "until sections are read by their declarations"],
  ["session/plan.ts", "config/profile.ts", "until sections are read by their declarations"],
  ["session/plan.ts", "config/project.ts", "until sections are read by their declarations"],
  ["session/guard/trust.ts", "config/project.ts", "until sections are read by their declarations"],
  ["session/host.ts", "config/config.ts", "until sections are read by their declarations"],
  ["session/guard/trust.ts", "config/config.ts", "until sections are read by their declarations"],
  ["session/guard/trust.ts", "config/profile.ts", "until sections are read by their declarations"],
];
