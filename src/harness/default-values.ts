import { THRESHOLD } from "../compaction/room.ts";
import { IDLE_TIMEOUT_MS } from "../control/multiplex/idle-watch.ts";
import { PERMISSION_TIMEOUT_MS } from "../control/multiplex/questions.ts";
import { ROUNDS_MAX } from "../engine/turn.ts";
import { PROFILE_SCHEMA_VERSION } from "../profile/profile.ts";
import { REPEATED_FAILURES_MAX, REPEATED_RESULTS_MAX } from "../progress/guard.ts";
import { TTL_DAYS_DEFAULT } from "../session/retention.ts";
import { KEEP_TURNS } from "./compaction.ts";
import { OUTPUT_TOKENS_MAX } from "./model-slot.ts";
import { CHECKPOINT_BYTES_MAX } from "./open-checkpoints.ts";

/** What holds where no file, flag or variable says anything, as a file would say it. What is absent has no default. */
export const DEFAULT_VALUES: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["schema_version", PROFILE_SCHEMA_VERSION],
  ["prompt_header", ""],
  ["context_sources", ["AGENTS.md"]],
  ["tool_packs", ["builtin"]],
  ["skill_packs", []],
  ["mcp_servers", []],
  ["plugins", []],
  ["hooks", []],
  ["diagnostics", []],
  ["permissions", "preset/default.toml"],
  ["permissions.level", "WorkspaceWrite"],
  ["permissions.strict", false],
  ["permissions.quiet", true],
  ["permissions.bash_in_sandbox", "allow"],
  ["permissions.allow", []],
  ["permissions.ask", []],
  ["permissions.deny", []],
  ["allow_project_hooks", false],
  ["tool_execution", "sequential"],
  ["limits.rounds", ROUNDS_MAX],
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
  ["session.idle_timeout", `${IDLE_TIMEOUT_MS / 60_000}m`],
  ["session.ttl_days", TTL_DAYS_DEFAULT],
  ["trust.promote_prose", false],
  ["credentials.keychain", false],
  ["default_profile", "default"],
  ["sandbox.backend", "auto"],
  ["sandbox.unavailable", "ask"],
  ["sandbox.network", []],
  ["sandbox.writable", []],
  ["sandbox.hidden", []],
]);
