/**
 * Imports up or on one layer that are left from the time before features had a contract: from, to, and what removes them.
 *
 * The count may only fall; `test/layers.test.ts` holds it.
 */
export const KNOWN: readonly (readonly [from: string, to: string, reason: string])[] = [
  [
    "features/checkpoints/doctor-checkpoints.ts",
    "app/engine/open-store.ts",
    "until SessionHost and EngineHost offer it",
  ],
  [
    "features/checkpoints/open-checkpoints.ts",
    "platform/files/tree.ts",
    "until the World or SessionHost offers it",
  ],
  ["features/limits/price-lookup.ts", "app/models/providers.ts", "until SessionHost offers models"],
  ["features/mcp/open-mcp-pool.ts", "app/models/providers.ts", "until SessionHost offers models"],
  ["features/plugins/engine-plugins.ts", "app/models/providers.ts", "until SessionHost offers models"],
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
  [
    "features/plugins/plugins.ts",
    "features/hooks/session-hooks.ts",
    "until session/moments.ts is the contract",
  ],
  ["features/plugins/plugins.ts", "features/hooks/tool-hooks.ts", "until session/moments.ts is the contract"],
  [
    "features/plugins/registration/collect.ts",
    "features/hooks/hook.ts",
    "until session/moments.ts is the contract",
  ],
  [
    "features/plugins/runtime/hooks.ts",
    "features/hooks/answer.ts",
    "until session/moments.ts is the contract",
  ],
  ["features/plugins/runtime/hooks.ts", "features/hooks/hook.ts", "until session/moments.ts is the contract"],
  [
    "features/plugins/runtime/hooks.ts",
    "features/hooks/hooks.ts",
    "until session/moments.ts is the contract",
  ],
  [
    "features/plugins/runtime/hooks.ts",
    "features/hooks/outcome.ts",
    "until session/moments.ts is the contract",
  ],
  ["features/profiles/succession.ts", "app/models/model-slot.ts", "until SessionHost offers models"],
  [
    "features/profiles/switch-profile.ts",
    "features/compaction/summary/imported.ts",
    "until what both need is a contract in session",
  ],
  ["features/profiles/wanted-profile.ts", "app/explain/check-profile.ts", "until it takes a SessionPlan"],
  ["features/profiles/wanted-profile.ts", "app/plan/project-profile.ts", "until it takes a SessionPlan"],
  [
    "features/skills/skills-review.ts",
    "features/agents-md/agents-md.ts",
    "until what both need is a contract in session",
  ],
  ["features/subagents/agent-sources.ts", "app/models/model-slot.ts", "until SessionHost offers models"],
  ["features/subagents/agents-check.ts", "app/models/model-problem.ts", "until SessionHost offers models"],
  [
    "features/subagents/agents-check.ts",
    "features/skills/skills-review.ts",
    "until what both need is a contract in session",
  ],
  [
    "features/subagents/agents-review.ts",
    "features/agents-md/agents-md.ts",
    "until what both need is a contract in session",
  ],
  ["features/subagents/delegates.ts", "app/models/model-slot.ts", "until SessionHost offers models"],
  [
    "features/subagents/delegates.ts",
    "features/limits/spent.ts",
    "until what both need is a contract in session",
  ],
  ["features/tasks/tasks.ts", "app/models/model-slot.ts", "until SessionHost offers models"],
  ["features/telemetry/telemetry.ts", "app/models/providers.ts", "until SessionHost offers models"],
  [
    "guard/sandbox/proxy/sandbox-network.ts",
    "platform/sockets/sockets.ts",
    "until the World or SessionHost offers it",
  ],
  ["guard/trust/project-files.ts", "features/agents-md/agents-md.ts", "until readers are passed in"],
  ["guard/trust/project-trust.ts", "features/agents-md/agents-md.ts", "until readers are passed in"],
  [
    "session/plan/options.ts",
    "credentials/helper/client.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/options.ts",
    "features/plugins/registration/plugin.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-material.ts",
    "app/models/model-slot.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-material.ts",
    "config/profile.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-material.ts",
    "features/plugins/session-plugins.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-material.ts",
    "features/profiles/succession.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-material.ts",
    "guard/trust/project-trust.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-parts.ts",
    "app/models/providers.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-parts.ts",
    "app/sessions/retention.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-parts.ts",
    "config/config.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-parts.ts",
    "features/mcp/mcp-pool.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-parts.ts",
    "features/plugins/plugin-host.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-parts.ts",
    "features/profiles/profile-switch.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-parts.ts",
    "features/telemetry/telemetry.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  [
    "session/plan/run-settings.ts",
    "config/profile-files.ts",
    "until SessionPlan and SessionHost take the place of the option types",
  ],
  ["session/session-part.ts", "engine/spawn.ts", "until session/feature.ts is the contract"],
  ["session/session-part.ts", "session/turns/session-parts.ts", "until session/feature.ts is the contract"],
  ["session/plan.ts", "config/config.ts", "until sections are read by their declarations"],
  ["session/plan.ts", "config/profile.ts", "until sections are read by their declarations"],
  ["session/plan.ts", "config/project.ts", "until sections are read by their declarations"],
  ["session/guard/trust.ts", "config/project.ts", "until sections are read by their declarations"],
  ["session/host.ts", "config/config.ts", "until sections are read by their declarations"],
];
