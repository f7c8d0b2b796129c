import type { EventSeq, LogId } from "../../../base/ids.ts";
import type { LogPart } from "../../search/search-index.ts";
import type { SealScope } from "../../store/seal.ts";
import { openBytes, scopeText } from "../../store/seal.ts";
import type { Row, StoreConnection } from "../connection.ts";
import type { DataKeys } from "../keys/data-keys.ts";
import { expiredRanges } from "../retention/expiry.ts";

/** The form of the filters. A filter of another form cannot be opened, and is made again. */
const FILTER_FORM = "filter v2";

/** A stretch of a log that is indexed: what of its row is in the clear. */
export interface SegmentFacts {
  readonly from: EventSeq;
  readonly to: EventSeq;
  /** The earliest and the latest time of its events. */
  readonly fromTs: string;
  readonly toTs: string;
}

export interface Segment extends SegmentFacts {
  readonly keyId: string;
  readonly bytes: Uint8Array;
  /** The row of its key. */
  readonly keyRow: Row;
}

/** Returns the segments of a log whose content has not expired, in order. */
export function segmentsOf(connection: StoreConnection, log: number): readonly Segment[] {
  const rows = connection.all(
    `SELECT from_event, to_event, from_ts, to_ts, search_segments.key_id AS key_id, filter,
       wrapped, day, bound FROM search_segments
     JOIN data_keys ON data_keys.key_id = search_segments.key_id AND data_keys.log = search_segments.log
     WHERE search_segments.log = ? AND wrapped IS NOT NULL ORDER BY from_event`,
    log,
  );
  return rows.map(segmentIn);
}

/** Opens the filter of a segment. @throws SealBroken if it or its row was changed. */
export function openFilter(keys: DataKeys, logId: LogId, segment: Segment): Uint8Array {
  // Its key is used once: it must not displace those of running sessions.
  const key = keys.unwrap(segment.keyId, { ...segment.keyRow, log_id: logId });
  return openBytes(key, scopeText(segmentScope(logId, segment), segment.keyId, "row"), segment.bytes);
}

interface NewSegment {
  readonly log: number;
  readonly logId: LogId;
  /** Parts of the log that had expired when it was read. */
  readonly expired: readonly LogPart[];
  readonly facts: SegmentFacts;
  readonly filter: Uint8Array;
}

/**
 * Writes a segment, inside a transaction. Another process may have written it, deleted the log or destroyed a key:
 * then nothing is written, and false is returned.
 */
export function writeSegment(connection: StoreConnection, keys: DataKeys, segment: NewSegment): boolean {
  const { log, logId, expired, facts, filter } = segment;
  const { from, to, fromTs, toTs } = facts;
  // What has expired since it was read must not stay in a filter that another key opens.
  if (countIn(expiredRanges(connection, log), facts) !== countIn(expired, facts)) return false;
  const keyId = oldestKeyIn(connection, log, facts);
  if (keyId === undefined) return false;
  const { bytes } = keys.seal(segmentScope(logId, facts), keys.use(keyId), filter);
  connection.run(
    `DELETE FROM search_segments WHERE log = ? AND key_id IN (SELECT key_id FROM data_keys WHERE log = ? AND wrapped IS NULL)`,
    log,
    log,
  );
  const { changes } = connection.run(
    `INSERT INTO search_segments (log, from_event, to_event, from_ts, to_ts, key_id, filter)
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE NOT EXISTS (
       SELECT 1 FROM search_segments WHERE log = ?1 AND from_event <= ?3 AND to_event >= ?2)`,
    ...[log, from, to, fromTs, toTs, keyId, bytes],
  );
  return changes === 1;
}

/** Removes a segment that cannot be opened, inside a transaction. */
export function removeSegment(connection: StoreConnection, log: number, from: EventSeq): void {
  connection.run("DELETE FROM search_segments WHERE log = ? AND from_event = ?", log, from);
}

/** Returns the id of the key with the oldest content in a stretch that still has content; undefined if none has. */
function oldestKeyIn(
  connection: StoreConnection,
  log: number,
  { from, to }: Pick<SegmentFacts, "from" | "to">,
): string | undefined {
  const row = connection.first(
    `SELECT key_spans.key_id FROM key_spans JOIN data_keys ON data_keys.key_id = key_spans.key_id
     WHERE key_spans.log = ?1 AND wrapped IS NOT NULL AND from_event <= ?3 AND from_event >= coalesce(
       (SELECT max(from_event) FROM key_spans WHERE log = ?1 AND from_event <= ?2), 0)
     ORDER BY day LIMIT 1`,
    ...[log, from, to],
  );
  return row === undefined ? undefined : String(row["key_id"]);
}

function countIn(parts: readonly LogPart[], { from, to }: SegmentFacts): number {
  return parts.reduce(
    (sum, part) => sum + Math.max(0, Math.min(to, part.to) - Math.max(from, part.from) + 1),
    0,
  );
}

function segmentIn(row: Row): Segment {
  const { filter } = row;
  return {
    from: Number(row["from_event"]),
    to: Number(row["to_event"]),
    fromTs: String(row["from_ts"]),
    toTs: String(row["to_ts"]),
    keyId: String(row["key_id"]),
    bytes: filter instanceof Uint8Array ? filter : new Uint8Array(),
    keyRow: row,
  };
}

function segmentScope(log: LogId, { from, to, fromTs, toTs }: SegmentFacts): SealScope {
  return { log, table: "search_segments", row: from, kind: FILTER_FORM, also: [to, fromTs, toTs] };
}
