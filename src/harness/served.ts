import type { EventKind } from "../protocol/events.ts";

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
  "CustomEvent",
] as const satisfies readonly EventKind[];

/** Optional features that a client may rely on here ([A] § Handshake). */
export const FEATURES = ["auto_approve", "inproc"] as const;
