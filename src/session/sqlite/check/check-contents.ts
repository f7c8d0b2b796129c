import { HarnessError } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import { isInRanges } from "../../store/expired.ts";
import { unreadableFinding } from "../../store/findings.ts";
import type { EventRange, StoreFinding } from "../../store/store.ts";
import type { Row, StoreConnection, Value } from "../connection.ts";
import { detailOf } from "../failure.ts";
import { EVENT_ROW } from "../reading/log-reader.ts";
import { expiredRanges, notExpired } from "../retention/expiry.ts";
import type { RowReader } from "../rows.ts";

const PAGE_ROWS = 1_000;
/** Unreadable contents of one log that are named. */
const NAMED_MAX = 20;

interface LogToCheck {
  readonly log: number;
  readonly logId: LogId;
  readonly signal: AbortSignal;
}

/** Opens every content of a log. */
export function* checkContents(
  connection: StoreConnection,
  rows: RowReader,
  { log, logId, signal }: LogToCheck,
): Generator<StoreFinding> {
  let named = 0;
  for (const { select, key, from, read } of tables(rows, logId)) {
    let at: Value = from;
    try {
      const expired = expiredRanges(connection, log);
      while (true) {
        signal.throwIfAborted();
        const page = connection.all(select, log, at, PAGE_ROWS);
        for (const row of page) {
          at = row[key] ?? null;
          const problem = problemOf(() => read(row, expired));
          if (problem === undefined) continue;
          if (named < NAMED_MAX) yield unreadableFinding(logId, sentence(problem));
          named += 1;
        }
        if (page.length < PAGE_ROWS) break;
      }
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      yield unreadableFinding(
        logId,
        `The log ${logId} cannot be read on from ${key} ${at}: ${detailOf(thrown)}.`,
      );
    }
  }
  if (named > NAMED_MAX) {
    yield unreadableFinding(logId, `${named - NAMED_MAX} more contents of ${logId} cannot be read.`);
  }
}

interface Table {
  readonly select: string;
  /** The column that tells rows apart, and a value before all of them. */
  readonly key: string;
  readonly from: Value;
  readonly read: (row: Row, expired: readonly EventRange[]) => unknown;
}

function tables(rows: RowReader, logId: LogId): readonly Table[] {
  return [
    {
      select: `SELECT num, title, key_id FROM logs WHERE num = ? AND num > ? AND ${notExpired("logs")} LIMIT ?`,
      key: "num",
      from: 0,
      read: (row) => rows.title(logId, row),
    },
    {
      select: `SELECT kind || ' ' || reader AS name, kind, reader, ts, content, key_id FROM notes
        WHERE log = ? AND kind || ' ' || reader > ? AND ${notExpired("notes")} ORDER BY kind, reader LIMIT ?`,
      key: "name",
      from: "",
      read: (row) => rows.note(logId, row),
    },
    {
      select: `${EVENT_ROW} WHERE events.log = ? AND id > ? ORDER BY id LIMIT ?`,
      key: "id",
      from: 0,
      read: (row, expired) =>
        isInRanges(Number(row["id"]), expired) ? rows.expiredEvent(logId, row) : rows.event(logId, row),
    },
    {
      select: `SELECT seq, after, turn, role, boundary, content, key_id FROM messages
        WHERE log = ? AND seq > ? AND ${notExpired("messages")} ORDER BY seq LIMIT ?`,
      key: "seq",
      from: 0,
      read: (row) => rows.message(logId, row),
    },
    {
      select: `SELECT call_id, tool_name, args_hash, is_mutating, started_at, summary, key_id FROM tool_call_intents
        WHERE log = ? AND call_id > ? AND ${notExpired("tool_call_intents")} ORDER BY call_id LIMIT ?`,
      key: "call_id",
      from: "",
      read: (row) => rows.intent(logId, row),
    },
  ];
}

function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return detailOf(thrown);
  }
}

function sentence(problem: string): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`;
}
