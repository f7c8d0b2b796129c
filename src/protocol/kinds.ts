import type { CommandKind } from "./commands.ts";
import type { EventKind } from "./events.ts";

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
] as const satisfies readonly EventKind[];
