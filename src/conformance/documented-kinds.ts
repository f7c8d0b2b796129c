/**
 * Command kinds of [A] § Handshake, in its order: copied from the document, not from this engine.
 *
 * The published schemas are generated from the engine, so a suite that took its kinds from them would accept any
 * omission of the engine. `test/conformance/documented-kinds.test.ts` compares both and lists the differences.
 */
export const DOCUMENTED_COMMANDS: readonly string[] = [
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
];

export const DOCUMENTED_EVENTS: readonly string[] = [
  "TextDelta",
  "ThinkingDelta",
  "ToolCallStarted",
  "ToolCallProgress",
  "ToolResult",
  "TurnStarted",
  "TurnEnded",
  "CompactionTriggered",
  "CostIncremented",
  "PermissionRequested",
  "Cancelled",
  "Error",
  "StreamGap",
  "TokenExpiring",
  "HookTimeout",
  "SessionEnded",
  "MCPServerDown",
  "TurnTiming",
  "CustomEvent",
];

/** Feature of [A] § Handshake for a command kind: a server without the feature need not list the kind. */
export const FEATURE_OF: Readonly<Record<string, string>> = {
  EnterPlanMode: "plan_mode",
  ExitPlanMode: "plan_mode",
  BranchSession: "branching",
};
