import type { Config } from "../../config/config.ts";
import { PROFILE_DEFAULTS, PROFILE_SCHEMA_VERSION } from "../../config/profile.ts";
import { DEFAULT_PROFILE, PRESET_DEFAULT } from "../../config/profile-files.ts";
import { TASKS_DEFAULT } from "../../config/sections/tasks.ts";
import { TELEMETRY_CONTENT } from "../../config/sections/telemetry.ts";
import { ROUNDS_MAX } from "../../engine/loop/turn.ts";
import { CHECKPOINT_BYTES_MAX } from "../../features/checkpoints/open-checkpoints.ts";
import { KEEP_TURNS } from "../../features/compaction/open.ts";
import { THRESHOLD } from "../../features/compaction/window/room.ts";
import { REPEATED_FAILURES_MAX, REPEATED_RESULTS_MAX } from "../../features/limits/guard.ts";
import { AGENT_DEPTH_MAX, AGENT_ROUNDS_MAX } from "../../features/subagents/definitions/definition.ts";
import { LEVEL_DEFAULT } from "../../guard/permissions/policy.ts";
import {
  COPILOT_CLIENT_ID,
  COPILOT_EDITOR,
  COPILOT_FAIL_OVER,
  COPILOT_INTEGRATION,
  copilotPlaces,
} from "../../providers/vendor-settings.ts";
import { PERMISSION_TIMEOUT_MS } from "../../session/questions/questions.ts";
import { TTL_DAYS_DEFAULT } from "../../session/store/retention.ts";
import { IDLE_TIMEOUT_MS } from "../../session/turns/idle-watch.ts";
import { OUTPUT_TOKENS_MAX } from "../models/model-slot.ts";

/**
 * What holds where no file, flag or variable says anything, as a file would say it. What is absent has no default.
 * @param config some follow from other keys.
 */
export function defaultValues({ copilot }: Pick<Config, "copilot">): ReadonlyMap<string, unknown> {
  const { githubUrl, baseUrl } = copilotPlaces(copilot);
  return new Map<string, unknown>([
    ...DEFAULT_VALUES,
    ["copilot.github_url", githubUrl],
    ["copilot.base_url", baseUrl],
  ]);
}

const DEFAULT_VALUES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["schema_version", PROFILE_SCHEMA_VERSION],
  ["prompt_header", PROFILE_DEFAULTS.promptHeader],
  ["context_sources", PROFILE_DEFAULTS.contextSources],
  ["tool_packs", PROFILE_DEFAULTS.toolPacks],
  ["skill_packs", PROFILE_DEFAULTS.skillPacks],
  ["mcp_servers", []],
  ["plugins", []],
  ["hooks", []],
  ["diagnostics", []],
  ["permissions", PRESET_DEFAULT],
  ["permissions.level", LEVEL_DEFAULT],
  ["permissions.strict", false],
  ["permissions.quiet", true],
  ["permissions.bash_in_sandbox", "allow"],
  ["permissions.allow", []],
  ["permissions.ask", []],
  ["permissions.deny", []],
  ["allow_project_hooks", PROFILE_DEFAULTS.allowProjectHooks],
  ["tool_execution", PROFILE_DEFAULTS.toolExecution],
  ["limits.rounds", ROUNDS_MAX],
  ["limits.unknown_price", "warn"],
  ["limits.output_tokens", OUTPUT_TOKENS_MAX],
  ["limits.permission_timeout", PERMISSION_TIMEOUT_MS / 1_000],
  ["limits.repeated_failures", REPEATED_FAILURES_MAX],
  ["limits.repeated_results", REPEATED_RESULTS_MAX],
  ["thinking.effort", "off"],
  ["compaction.threshold", THRESHOLD],
  ["compaction.keep_turns", KEEP_TURNS],
  ["checkpoint.enabled", true],
  ["checkpoint.required", false],
  ["checkpoint.bytes_max", CHECKPOINT_BYTES_MAX],
  ["memory.enabled", true],
  ["agents.rounds", AGENT_ROUNDS_MAX],
  ["agents.depth", AGENT_DEPTH_MAX],
  ["tasks.wake", TASKS_DEFAULT.wake],
  ["tasks.schedule", TASKS_DEFAULT.schedule],
  ["telemetry.content", TELEMETRY_CONTENT],
  ["copilot.client_id", COPILOT_CLIENT_ID],
  ["copilot.integration_id", COPILOT_INTEGRATION],
  ["copilot.editor_version", COPILOT_EDITOR],
  ["copilot.fail_over", COPILOT_FAIL_OVER],
  ["session.idle_timeout", `${IDLE_TIMEOUT_MS / 60_000}m`],
  ["session.ttl_days", TTL_DAYS_DEFAULT],
  ["trust.promote_prose", false],
  ["credentials.keychain", false],
  ["default_profile", DEFAULT_PROFILE],
  ["sandbox.backend", "auto"],
  ["sandbox.unavailable", "ask"],
  ["sandbox.network", []],
  ["sandbox.writable", []],
  ["sandbox.hidden", []],
  ["sandbox.pass_env", []],
]);
