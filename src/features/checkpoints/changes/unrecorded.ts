import type { CallId, LogId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import { isShellEvent } from "../../../view/event-facts.ts";
import { isTurnEnded, isTurnStarted } from "../../../view/turn-marks.ts";

/** Limit for the events that are searched for calls without a record, from the newest on. */
const EVENTS_LOOKED_MAX = 10_000;

export interface UnrecordedSearch {
  readonly sessions: Pick<SessionStore, "eventsBefore" | "find">;
  readonly logId: LogId;
  readonly turn: number | undefined;
  readonly callId: CallId | undefined;
  /** True if there are records of what is asked for. */
  readonly isRecorded: boolean;
  /** True if the log has any record. */
  readonly hasRecords: boolean;
}

/**
 * Returns the reason why changes are not known; undefined if all are recorded, or nothing was changed. Reads the last
 * `EVENTS_LOOKED_MAX` events of the log.
 */
export async function whyUnknown(search: UnrecordedSearch): Promise<string | undefined> {
  const { sessions, logId, turn, callId, isRecorded } = search;
  if (callId !== undefined && isRecorded) return undefined;
  const info = await sessions.find(logId);
  const newest = await sessions.eventsBefore(logId, info?.lastEvent ?? 0, EVENTS_LOOKED_MAX);
  if (callId !== undefined) return whyNoCall(newest, callId);
  const events = turn === undefined ? newest : eventsOfTurn(newest, turn);
  if (events.some(isUnwritable)) return "some files could not be kept";
  if (events.some(namesOnly)) return "only files that a call names are kept in this folder";
  if (isRecorded) return undefined;
  const branchedAt = info?.branchOf?.at ?? 0;
  if (events.length > 0 && (events[0]?.id ?? 0) <= branchedAt) return "the session was branched after that";
  if (events.some(({ kind }) => kind === "CheckpointMade")) return GONE;
  if (changedFiles(events, search)) return "files are not kept, or were not kept then ([checkpoint] enabled)";
  const isWhole = turn === undefined ? newest.length < EVENTS_LOOKED_MAX : isTurnStart(events[0]);
  return isWhole ? undefined : "its events are too far back to know if something was changed";
}

/** Recorded when a turn first changes something, and gone since. */
const GONE = "the checkpoints of that time were let go, or have expired";

function whyNoCall(events: readonly Envelope[], callId: CallId): string | undefined {
  const started = events.findLast(
    (event) => event.kind === "ToolCallStarted" && event.payload.callId === callId,
  );
  const result = events.findLast((event) => event.kind === "ToolResult" && event.payload.callId === callId);
  if (started?.kind === "ToolCallStarted" && !started.payload.mutating) return undefined;
  if (started !== undefined && isShellEvent(started))
    return "it is a command of the user, whose changes are not recorded as those of a call";
  if (result?.kind !== "ToolResult")
    return started === undefined
      ? "there is no such call among the last events of the session"
      : "the call has not ended";
  return "no files of this call were kept: it only read, was refused, or worked elsewhere";
}

function eventsOfTurn(events: readonly Envelope[], turn: number): readonly Envelope[] {
  const from = events.findIndex((event) => isTurnStarted(event, turn));
  const end = events.findIndex((event) => isTurnEnded(event, turn));
  if (from === -1 && end === -1) return [];
  return events.slice(Math.max(0, from), end === -1 ? events.length : end + 1);
}

function isTurnStart(event: Envelope | undefined): boolean {
  return event !== undefined && isTurnStarted(event);
}

/** Returns true for an event after which calls continued although their changes could not be recorded. */
function isUnwritable(event: Envelope): boolean {
  return event.kind === "Error" && event.payload.reason === "CheckpointUnwritable";
}

function namesOnly(event: Envelope): boolean {
  return event.kind === "CheckpointMade" && event.payload.notRestorable?.[0] === ".";
}

/**
 * Returns true if calls ended that changed a file; in a log without any record a command may be one. Commands of the
 * user are none.
 */
function changedFiles(
  events: readonly Envelope[],
  { hasRecords }: Pick<UnrecordedSearch, "hasRecords">,
): boolean {
  const failed = new Set(
    events.flatMap(({ kind, payload }) =>
      kind === "ToolResult" && payload.isError === true ? [payload.callId] : [],
    ),
  );
  return events.some((event) => {
    if (event.kind !== "ToolCallStarted" || isShellEvent(event)) return false;
    const { callId, preview, toolKind, mutating } = event.payload;
    if (failed.has(callId)) return false;
    return preview !== undefined || (!hasRecords && toolKind === "execute" && mutating);
  });
}
