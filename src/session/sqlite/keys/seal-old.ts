import type { LogId } from "../../../base/ids.ts";
import { decode, encode } from "../../../base/text/text.ts";
import type { RandomBytes, SealScope } from "../../store/seal.ts";
import { keyFingerprint } from "../../store/seal.ts";
import type { Row, StoreConnection, Value } from "../connection.ts";
import { eventFactsOf, eventScope, intentScope, messageScope, titleScope } from "../rows.ts";
import type { LogKey } from "./data-keys.ts";
import { checkLogKey, DataKeys } from "./data-keys.ts";

/** Rows that are read and sealed at a time. */
const PAGE_ROWS = 1_000;

/**
 * Seals the contents of a store from before there was sealing, and stores the key's fingerprint: afterwards nothing
 * unsealed is trusted. Returns the number of sealed contents. Called in the transaction that creates the tables.
 */
export function sealOld(
  connection: StoreConnection,
  logKey: LogKey,
  { now, random }: SealOldOptions,
): number {
  if (checkLogKey(connection, logKey) === "sealed") return 0; // another process did it meanwhile
  const keys = new DataKeys(connection, logKey.key, random);
  const sealed = TABLES.reduce((count, table) => count + sealTable(connection, keys, table), 0);
  connection.run(
    "INSERT INTO sealing (num, fingerprint, since) VALUES (1, ?, ?)",
    keyFingerprint(logKey.key),
    now,
  );
  return sealed;
}

export interface SealOldOptions {
  /** ISO 8601. */
  readonly now: string;
  readonly random: RandomBytes;
}

interface Table {
  /** Query for the rows without a key: log, its id, a day, the row's key, its content. */
  readonly select: string;
  readonly update: string;
  readonly scope: (logId: LogId, row: Row) => SealScope;
  /** Columns that name the row in `update`, with values below any; rows come in their order. */
  readonly names: Readonly<Record<string, Value>>;
  /** Returns the content to seal, if it changes. */
  readonly content?: (row: Row, content: Uint8Array) => Uint8Array;
}

const TABLES: readonly Table[] = [
  {
    select: `SELECT events.log, log_id, substr(ts, 1, 10) AS day, id, kind, ts, originator, parent_call, content,
             coalesce(events.session_id, runs.session_id) AS session FROM events
             JOIN logs ON logs.num = events.log JOIN runs ON runs.num = events.run
             WHERE (events.log, id) > (?, ?) AND events.key_id IS NULL ORDER BY events.log, id LIMIT ?`,
    update: "UPDATE events SET content = ?, key_id = ? WHERE log = ? AND id = ?",
    names: { log: 0, id: 0 },
    scope: (log, row) => eventScope(log, eventFactsOf(row)),
  },
  {
    select: `SELECT log, log_id, substr(created_at, 1, 10) AS day, seq, role, boundary, after, turn, content FROM messages
             JOIN logs ON logs.num = log WHERE (log, seq) > (?, ?) AND messages.key_id IS NULL ORDER BY log, seq LIMIT ?`,
    update: "UPDATE messages SET content = ?, key_id = ? WHERE log = ? AND seq = ?",
    names: { log: 0, seq: 0 },
    scope: (log, row) =>
      messageScope(log, Number(row["seq"]), {
        role: String(row["role"]),
        boundary: row["boundary"] === 1n,
        after: Number(row["after"]),
        turn: Number(row["turn"]),
      }),
  },
  {
    select: `SELECT log, log_id, substr(started_at, 1, 10) AS day, call_id, tool_name, args_hash, is_mutating,
             summary AS content FROM tool_call_intents
             JOIN logs ON logs.num = log
             WHERE (log, call_id) > (?, ?) AND tool_call_intents.key_id IS NULL ORDER BY log, call_id LIMIT ?`,
    update:
      "UPDATE tool_call_intents SET summary = ?, key_id = ?, args_hash = '' WHERE log = ? AND call_id = ?",
    names: { log: 0, call_id: "" },
    scope: (log, row) =>
      intentScope(log, {
        callId: String(row["call_id"]),
        tool: String(row["tool_name"]),
        mutating: row["is_mutating"] === 1n,
      }),
    content: (row, summary) => encode(`[${JSON.stringify(row["args_hash"])},${decode(summary)}]`),
  },
  {
    select: `SELECT num AS log, log_id, substr(created_at, 1, 10) AS day, title AS content FROM logs
             WHERE num > ? AND key_id IS NULL AND title IS NOT NULL ORDER BY num LIMIT ?`,
    update: "UPDATE logs SET title = ?, key_id = ? WHERE num = ?",
    names: { log: 0 },
    scope: (log) => titleScope(log),
  },
];

function sealTable(connection: StoreConnection, keys: DataKeys, table: Table): number {
  let sealed = 0;
  let from = Object.values(table.names);
  while (true) {
    const rows = connection.all(table.select, ...from, PAGE_ROWS);
    for (const row of rows) {
      from = Object.keys(table.names).map((name) => row[name] ?? null);
      sealRow(connection, keys, { row, table, names: from });
    }
    sealed += rows.length;
    if (rows.length < PAGE_ROWS) return sealed;
  }
}

interface OldRow {
  readonly row: Row;
  readonly table: Table;
  readonly names: readonly Value[];
}

function sealRow(connection: StoreConnection, keys: DataKeys, { row, table, names }: OldRow): void {
  const logId = String(row["log_id"]) as LogId;
  const { content } = row;
  if (!(content instanceof Uint8Array)) return; // reading it reports what is missing
  const dataKey = keys.forDay({ log: Number(row["log"]), logId, day: String(row["day"]) });
  const whole = table.content?.(row, content) ?? content;
  const { bytes, keyId } = keys.seal(table.scope(logId, row), dataKey, whole);
  connection.run(table.update, bytes, keyId, ...names);
}
