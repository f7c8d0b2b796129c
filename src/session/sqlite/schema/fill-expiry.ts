import type { LogId } from "../../../base/ids.ts";
import { decode } from "../../../base/text/text.ts";
import type { Event } from "../../../protocol/events/events.ts";
import { SealBroken } from "../../store/seal.ts";
import type { Row, StoreConnection } from "../connection.ts";
import type { DataKeys } from "../keys/data-keys.ts";
import { metaOf } from "../retention/expiry.ts";
import { eventFactsOf, eventScope } from "../rows.ts";

/** Rows that are opened at a time. */
const PAGE_ROWS = 1_000;

/**
 * Fills the columns of the third schema step for older logs: the start of each key, and what an event keeps once it has
 * expired. Does nothing if they are filled. Called in the transaction that creates the tables.
 */
export function fillExpiry(connection: StoreConnection, keys: DataKeys): void {
  if (connection.first("SELECT 1 FROM key_spans LIMIT 1") !== undefined) return;
  connection.run(
    `INSERT INTO key_spans (log, from_event, key_id)
     SELECT log, id, key_id FROM (
       SELECT log, id, key_id, lag(key_id) OVER (PARTITION BY log ORDER BY id) AS before FROM events)
     WHERE key_id IS NOT NULL AND before IS NOT key_id`,
  );
  let [log, id] = [0, 0];
  while (true) {
    const rows = connection.all(
      `SELECT events.log, log_id, id, kind, ts, originator, parent_call, content, events.key_id,
         coalesce(events.session_id, runs.session_id) AS session
       FROM events JOIN logs ON logs.num = events.log JOIN runs ON runs.num = events.run
       WHERE (events.log, id) > (?, ?) AND kind NOT IN ('TextDelta', 'ThinkingDelta', 'TodoChanged')
       ORDER BY events.log, id LIMIT ?`,
      log,
      id,
      PAGE_ROWS,
    );
    for (const row of rows) {
      [log, id] = [Number(row["log"]), Number(row["id"])];
      const meta = metaOfRow(keys, row);
      if (meta !== null) connection.run("UPDATE events SET meta = ? WHERE log = ? AND id = ?", meta, log, id);
    }
    if (rows.length < PAGE_ROWS) return;
  }
}

/** Returns NULL if the content cannot be opened: reading the row reports why. */
function metaOfRow(keys: DataKeys, row: Row): string | null {
  const { log_id, kind, content, key_id } = row;
  if (!(content instanceof Uint8Array) || typeof key_id !== "string" || typeof kind !== "string") return null;
  const scope = eventScope(String(log_id) as LogId, eventFactsOf(row));
  try {
    const payload: unknown = JSON.parse(decode(keys.open(scope, { keyId: key_id, bytes: content })));
    return metaOf({ kind, payload } as Event);
  } catch (thrown) {
    if (thrown instanceof SealBroken || thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}
