import { CHECKPOINT_COMMANDS } from "../../features/checkpoints/commands.ts";
import { COMPACTION_COMMANDS } from "../../features/compaction/commands.ts";
import { MCP_COMMANDS } from "../../features/mcp/commands.ts";
import { MEMORY_COMMANDS } from "../../features/memory/commands.ts";
import { PLAN_COMMANDS } from "../../features/plan-mode/commands.ts";
import { PROFILE_COMMANDS } from "../../features/profiles/commands.ts";
import { PROMPT_COMMANDS } from "../../features/prompts/commands.ts";
import { SKILL_COMMANDS } from "../../features/skills/commands.ts";
import { AGENT_COMMANDS } from "../../features/subagents/commands.ts";
import { TASK_COMMANDS } from "../../features/tasks/commands.ts";
import { PERMISSION_COMMANDS } from "../../guard/permissions/slash-commands.ts";
import type { CommandSpec } from "../../protocol/commands/command-spec.ts";
import { ENGINE_COMMANDS } from "./engine-commands.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";

/** Every slash command that comes with cinch, as its module declares it. Clients get the list by `ListSlashCommands`. */
export const SLASH_COMMANDS: readonly CommandSpec[] = [
  ...ENGINE_COMMANDS,
  ...COMPACTION_COMMANDS,
  ...CHECKPOINT_COMMANDS,
  ...PLAN_COMMANDS,
  ...MEMORY_COMMANDS,
  ...PERMISSION_COMMANDS,
  ...PROFILE_COMMANDS,
  ...SKILL_COMMANDS,
  ...AGENT_COMMANDS,
  ...PROMPT_COMMANDS,
  ...MCP_COMMANDS,
  ...TASK_COMMANDS,
  ...SESSION_COMMANDS,
];
