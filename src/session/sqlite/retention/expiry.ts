import { HarnessError } from "../../../base/errors.ts";
import type { EventSeq, LogId } from "../../../base/ids.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { mergeRanges, withoutContent } from "../../store/expired.ts";
import { SealBroken } from "../../store/seal.ts";
import type { EventRange } from "../../store/store.ts";
import type { StoreConnection } from "../connection.ts";
import type { DataKeys } from "../keys/data-keys.ts";

/** Kinds of events that keep nothing else when they expire. */
const ONLY_CONTENT: ReadonlySet<string> = new Set(["TextDelta", "ThinkingDelta", "TodoChanged"]);

/** Returns the `meta` of a row: the payload without its content. */
export function metaOf(event: Event): string | null {
  return ONLY_CONTENT.has(event.kind) ? null : JSON.stringify(withoutContent(event));
}

/** Returns the condition for rows of a table whose key was not destroyed. */
export function notExpired(table: "logs" | "messages" | "notes" | "tool_call_intents"): string {
  const destroyed = `SELECT 1 FROM data_keys WHERE data_keys.key_id = ${table}.key_id AND wrapped IS NULL`;
  return `NOT EXISTS (${destroyed})`;
}

/** Records the first event that a key is used for, if it is new. */
export function addKeySpan(
  connection: StoreConnection,
  { log, id, keyId }: { readonly log: number; readonly id: EventSeq; readonly keyId: string },
): void {
  const newest = connection.first(
    "SELECT key_id FROM key_spans WHERE log = ? ORDER BY from_event DESC LIMIT 1",
    log,
  );
  if (newest?.["key_id"] === keyId) return;
  connection.run("INSERT INTO key_spans (log, from_event, key_id) VALUES (?, ?, ?)", log, id, keyId);
}

/** Returns the events of a log whose key was destroyed. */
export function expiredRanges(connection: StoreConnection, log: number): readonly EventRange[] {
  return mergeRanges(keySpans(connection, log).filter(({ isExpired }) => isExpired));
}

export interface KeySpan extends EventRange {
  readonly isExpired: boolean;
  readonly isFreed: boolean;
}

export function keySpans(connection: StoreConnection, log: number): readonly KeySpan[] {
  const rows = connection.all(
    `SELECT from_event, freed,
       coalesce(lead(from_event) OVER (ORDER BY from_event) - 1, (SELECT max(id) FROM events WHERE log = ?1)) AS to_event,
       (SELECT wrapped IS NULL FROM data_keys WHERE data_keys.key_id = key_spans.key_id) AS expired
     FROM key_spans WHERE log = ?1 ORDER BY from_event`,
    log,
  );
  return rows.map(({ from_event, to_event, expired, freed }) => ({
    from: Number(from_event),
    to: Number(to_event),
    isExpired: expired === 1n,
    isFreed: freed === 1n,
  }));
}

interface ExpiredContent {
  /** Events that lost their content. */
  readonly events: number;
  /** A key may have sealed nothing but notes. */
  readonly keysDestroyed: number;
}

interface Expiring {
  readonly log: number;
  readonly logId: LogId;
  readonly beforeDay: string;
  /** True if a living process writes the log: the key of its newest day is in use, and stays. */
  readonly isHeld: boolean;
}

/**
 * Destroys the keys of a log's days before one day, inside a transaction: their contents can never be read again.
 * @throws HarnessError StoreCorrupt if one of them cannot be unwrapped: a damaged log is left for people.
 */
export function expireLog(connection: StoreConnection, keys: DataKeys, expiring: Expiring): ExpiredContent {
  const { log, logId, isHeld } = expiring;
  const beforeDay = isHeld ? earlier(expiring.beforeDay, newestDay(connection, log)) : expiring.beforeDay;
  try {
    keys.checkBefore(log, beforeDay);
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    const detail = `the content of ${logId} is not expired: ${cause.message}`;
    throw new HarnessError("StoreCorrupt", { path: connection.path, detail }, { cause });
  }
  const before = eventsIn(expiredRanges(connection, log));
  const { changes: keysDestroyed } = connection.run(
    "UPDATE data_keys SET wrapped = NULL WHERE log = ? AND day < ? AND wrapped IS NOT NULL",
    log,
    beforeDay,
  );
  return { events: eventsIn(expiredRanges(connection, log)) - before, keysDestroyed };
}

/** Returns the newest day of a log that has content; an early text if none has. */
function newestDay(connection: StoreConnection, log: number): string {
  const row = connection.first(
    "SELECT max(day) AS day FROM data_keys WHERE log = ? AND wrapped IS NOT NULL",
    log,
  );
  return String(row?.["day"] ?? "");
}

function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

function eventsIn(ranges: readonly EventRange[]): number {
  return ranges.reduce((count, { from, to }) => count + to - from + 1, 0);
}
