import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { EventKind } from "../../../protocol/events/events.ts";
import { EVENT_KINDS } from "../../../protocol/kinds.ts";
import type { LogInfo, SessionStore } from "../store.ts";

/** Events of a log that nobody has used yet: settings, and what the engine reports by itself. */
const BEFORE_USE: ReadonlySet<EventKind> = new Set([
  "Error",
  "HookError",
  "HookTimeout",
  "LevelChanged",
  "MCPServerDown",
  "ModelChanged",
  "ProfileSwitched",
  "SessionEnded",
  "SessionRenamed", // `renamed` says if it still has that title
  "SkillRegistryChanged",
  "StreamGap",
  "TokenExpiring",
] as const);
const OF_USE: readonly EventKind[] = EVENT_KINDS.filter((kind) => !BEFORE_USE.has(kind));
/**
 * The same among the custom events of the engine. All others count as use: turns that were imported from another log,
 * and what a plugin has emitted.
 */
const CUSTOM_BEFORE_USE: ReadonlySet<string> = new Set([
  ...["Appended", "Bounded", "FoldersAdded", "RulesAllowed"], // what it was begun with
  ...["CheckpointsLetGo", "PlanMode"],
]);
/** A store may return events of other kinds too: a log with more of them counts as used. */
const EVENTS_READ = 100;

/**
 * Returns true for a log in which a person would find nothing: it never had an input, a command or another piece of
 * work, and has neither a title, a draft nor a pin.
 */
export async function isUnused(
  store: UsedStore,
  { logId, turns, renamed, pinned }: Pick<LogInfo, "logId" | "turns" | "renamed" | "pinned">,
): Promise<boolean> {
  if (turns > 0 || renamed === true || pinned) return false;
  // A store that cannot tell may have a draft.
  if (store.notes !== undefined && (await store.notes.hasDraft?.(logId)) !== false) return false;
  const events = await store.markedEvents(logId, 0, EVENTS_READ, OF_USE);
  return events.length < EVENTS_READ && events.every(isBeforeUse);
}

function isBeforeUse({ kind, payload }: Envelope): boolean {
  if (kind !== "CustomEvent") return BEFORE_USE.has(kind);
  return payload.namespace === "cinch" && CUSTOM_BEFORE_USE.has(payload.kind);
}

export type UsedStore = Pick<SessionStore, "markedEvents" | "notes">;
