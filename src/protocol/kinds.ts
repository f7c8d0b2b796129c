import type { CommandKind } from "./commands/commands.ts";
import type { EventKind } from "./events/events.ts";

/**
 * The names of every command and event, without the schemas: the start path loads this file, not Zod.
 *
 * A test holds both lists equal to the schemas.
 */
export const COMMAND_KINDS = [
  "SendInput",
  "CancelTurn",
  "AnswerPermission",
  "CreateSession",
  "AttachSession",
  "DetachSession",
  "SetModel",
  "EnterPlanMode",
  "ExitPlanMode",
  "CustomCommand",
  "EndSession",
  "BranchSession",
  "PinSession",
  "CompactSession",
  "RewindSession",
  "WithdrawInput",
  "RevokeRule",
  "PromoteRule",
  "SwitchProfile",
  "ReloadSkills",
  "ManageMcp",
  "StopTask",
  "Answer",
] as const satisfies readonly CommandKind[];

export const EVENT_KINDS = [
  "TextDelta",
  "ThinkingDelta",
  "ToolCallStarted",
  "ToolCallProgress",
  "ToolResult",
  "TurnStarted",
  "TurnEnded",
  "TurnTiming",
  "CompactionTriggered",
  "CostIncremented",
  "PermissionRequested",
  "PermissionAnswered",
  "Cancelled",
  "Error",
  "StreamGap",
  "TokenExpiring",
  "HookTimeout",
  "HookError",
  "MCPServerDown",
  "SkillRegistryChanged",
  "SessionEnded",
  "CustomEvent",
  "Asked",
  "Answered",
  "InputQueued",
  "InputWithdrawn",
  "CheckpointMade",
  "TaskChanged",
  "TodoChanged",
  "MemoryWritten",
  "ProfileSwitched",
  "ModelChanged",
  "RuleRevoked",
  "RulePromoted",
] as const satisfies readonly EventKind[];

/** The names of every query: see `queries/queries.ts`, which has an entry for each. */
export const QUERY_KINDS = [
  "ListSessions",
  "GetSession",
  "ListTasks",
  "GetHealth",
  "GetRuntime",
  "ListProfiles",
  "GetProfile",
  "ListProviders",
  "ListModels",
  "ListTools",
  "ListSkills",
  "GetSkill",
  "ListSlashCommands",
  "ListMcpServers",
] as const;
export type QueryKind = (typeof QUERY_KINDS)[number];
