import type { Envelope } from "../../protocol/events/envelope.ts";
import type { EventKind } from "../../protocol/events/events.ts";
import type { ItemKind } from "../../protocol/queries/history-queries.ts";
import { severityOf } from "../../view/event-facts.ts";
import { isRefusal } from "../../view/turn-result.ts";

/** The item that an event of each kind begins. Null: it begins none. */
const KINDS: Readonly<Record<EventKind, ItemKind | null>> = {
  TextDelta: "text",
  ThinkingDelta: "thinking",
  ToolCallStarted: "call",
  ToolCallProgress: null,
  ToolArgsDelta: null,
  ToolResult: null,
  TurnStarted: "prompt",
  TurnEnded: null,
  TurnTiming: null,
  CompactionTriggered: "compaction",
  CompactionProgress: null,
  SessionRenamed: null,
  CostIncremented: null,
  PermissionRequested: "question",
  PermissionAnswered: null,
  Cancelled: "cancel",
  Error: "error",
  StreamGap: "gap",
  TokenExpiring: null,
  HookTimeout: "hook",
  HookError: "hook",
  MCPServerDown: "notice",
  SkillRegistryChanged: null,
  SessionEnded: "end",
  CustomEvent: "custom",
  Asked: "question",
  Answered: null,
  InputQueued: "queued",
  InputWithdrawn: null,
  CheckpointMade: "checkpoint",
  TaskChanged: "task",
  TodoChanged: "todos",
  MemoryWritten: "memory",
  ProfileSwitched: "profile",
  ModelChanged: "model",
  RuleRevoked: "rule",
  RulePromoted: "rule",
  LevelChanged: "level",
  InputEdited: "queued",
  InputMoved: null,
};

/** Returns the kind of the item that an event begins; undefined if it begins none. */
export function itemKind(event: Envelope): ItemKind | undefined {
  if (event.kind === "Error") {
    const isNotice = severityOf(event.payload) === "note" || isRefusal(event.payload);
    return isNotice ? "notice" : "error";
  }
  return KINDS[event.kind] ?? undefined;
}
