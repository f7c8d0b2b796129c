/**
 * Kinds of [A] § Handshake, in its order: a transcription of the document, not of this engine.
 *
 * The published schemas are generated from the engine, so a suite that took its kinds from them would pass whatever the engine
 * leaves out. `test/conformance/documented-kinds.test.ts` compares both and names what only one of them has.
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

/** Features of [A] § Handshake that a kind of command belongs to: a server without the feature need not name the kind. */
export const FEATURE_OF: Readonly<Record<string, string>> = {
  EnterPlanMode: "plan_mode",
  ExitPlanMode: "plan_mode",
  BranchSession: "branching",
};
