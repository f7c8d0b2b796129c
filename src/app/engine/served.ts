import type { EventKind } from "../../protocol/events/events.ts";

/** The events that this version can emit, for the handshake: no client is promised what nobody sends. */
export const EMITTED_EVENTS = [
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
  "SessionEnded",
  "HookTimeout",
  "HookError",
  "MCPServerDown",
  "Asked",
  "Answered",
  "TaskChanged",
  "CheckpointMade",
  "TodoChanged",
  "MemoryWritten",
  "InputQueued",
  "InputWithdrawn",
  "SkillRegistryChanged",
  "ProfileSwitched",
  "ModelChanged",
  "RuleRevoked",
  "RulePromoted",
  "CustomEvent",
] as const satisfies readonly EventKind[];

/** Optional features that a client may rely on here, by the names of [A] § Handshake; `inproc` is our own. */
export const FEATURES = [
  "plan_mode",
  "branching",
  "delegate",
  "auto_approve",
  "auto_attach_on_mcp",
  "inproc",
] as const;
