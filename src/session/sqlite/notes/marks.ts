import type { EventSeq } from "../../../base/ids.ts";
import type { StoreConnection } from "../connection.ts";

/**
 * Returns the number of turns of a log that had ended up to an event. Reads the events after it: a reader marks what is
 * new.
 */
export function countTurnsRead(connection: StoreConnection, log: number, event: EventSeq): number {
  const row = connection.first(
    `SELECT turns_ended - (
       SELECT count(*) FROM events WHERE events.log = logs.num AND id > max(?2, coalesce(branch_at, 0))
         AND kind = 'TurnEnded' AND parent_call IS NULL) AS count
     FROM logs WHERE num = ?1`,
    log,
    event,
  );
  return Math.max(0, Number(row?.["count"] ?? 0));
}

/** Returns the number of turns that have ended since the mark of a reader; without a mark, of all. */
export function countUnread(connection: StoreConnection, log: number, reader: string): number {
  const row = connection.first(
    `SELECT turns_ended - coalesce((SELECT turns_ended FROM marks WHERE marks.log = logs.num AND reader = ?2), 0) AS count
     FROM logs WHERE num = ?1`,
    log,
    reader,
  );
  return Math.max(0, Number(row?.["count"] ?? 0));
}
