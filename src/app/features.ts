import { agentsMdFeature } from "../features/agents-md/feature.ts";
import { attachmentsFeature } from "../features/attachments/feature.ts";
import { checkpointsFeature } from "../features/checkpoints/feature.ts";
import { compactionFeature } from "../features/compaction/feature.ts";
import { diagnosticsFeature } from "../features/diagnostics/feature.ts";
import { hooksFeature } from "../features/hooks/feature.ts";
import { limitsFeature } from "../features/limits/feature.ts";
import { mcpFeature } from "../features/mcp/feature.ts";
import { memoryFeature } from "../features/memory/feature.ts";
import { mentionsFeature } from "../features/mentions/feature.ts";
import { notifyFeature } from "../features/notify/feature.ts";
import { planModeFeature } from "../features/plan-mode/feature.ts";
import { pluginsFeature } from "../features/plugins/feature.ts";
import { profilesFeature } from "../features/profiles/feature.ts";
import { promptsFeature } from "../features/prompts/feature.ts";
import { skillsFeature } from "../features/skills/feature.ts";
import { subagentsFeature } from "../features/subagents/feature.ts";
import { tasksFeature } from "../features/tasks/feature.ts";
import { telemetryFeature } from "../features/telemetry/feature.ts";
import { workspaceStatusFeature } from "../features/workspace-status/feature.ts";
import type { Feature } from "../session/feature.ts";

/**
 * Every feature of a session, in their normative order. Inputs, turn ends and lists go through this list from its
 * first entry to its last. Of middleware at one place the first stands outermost.
 */
export const FEATURES: readonly Feature[] = [
  telemetryFeature,
  profilesFeature,
  limitsFeature,
  hooksFeature,
  memoryFeature,
  skillsFeature,
  mcpFeature,
  pluginsFeature,
  diagnosticsFeature,
  mentionsFeature,
  promptsFeature,
  subagentsFeature,
  planModeFeature,
  tasksFeature,
  agentsMdFeature,
  compactionFeature,
  checkpointsFeature,
  attachmentsFeature,
  notifyFeature,
  workspaceStatusFeature,
];

/**
 * Returns the features of an engine inside a program, in the order of `FEATURES`. The feature of the program itself,
 * with its tools and its text, comes last.
 */
export function embeddedFeatures(program: Feature): readonly Feature[] {
  return [...FEATURES.filter(({ inPrograms }) => inPrograms !== undefined), program];
}
