import { HarnessError } from "../../../base/errors.ts";
import type { EventSeq, LogId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { EventKind, PayloadOf } from "../../../protocol/events/events.ts";
import { isInRanges } from "../../store/expired.ts";
import type { EventRange, Intent, StoredMessage } from "../../store/store.ts";
import type { Row, StoreConnection } from "../connection.ts";
import { expiredRanges, notExpired } from "../retention/expiry.ts";
import type { RowReader } from "../rows.ts";

/** The start of a query whose rows `RowReader` turns into events. */
export const EVENT_ROW = `
  SELECT id, coalesce(events.session_id, runs.session_id) AS session, kind, ts, originator, parent_call,
         content, key_id, meta
  FROM events LEFT JOIN runs ON runs.num = events.run`;

/**
 * Finds the newest message of a log at or before an event, by halving: later messages stand after later events.
 * Expiry leaves gaps in `seq`.
 */
const NEWEST_MESSAGE = `
  WITH RECURSIVE part (low, high) AS (
    SELECT 0, coalesce((SELECT max(seq) FROM messages WHERE log = ?1), 0)
    UNION ALL
    SELECT iif(messages.after <= ?2, high - (high - low) / 2, low),
      iif(messages.after <= ?2, high, high - (high - low) / 2 - 1)
    FROM part, messages WHERE low < high AND messages.log = ?1 AND messages.seq =
      (SELECT min(seq) FROM messages WHERE log = ?1 AND seq >= high - (high - low) / 2))
  SELECT low AS seq FROM part WHERE low = high`;

/** Events among which those of some kinds are looked for at a time: a log may hold a million, and few of them. */
const SLICE_EVENTS = 512;

export interface EventsWanted {
  readonly since: EventSeq;
  readonly limit: number;
}

export interface EventsOfKinds extends EventsWanted {
  readonly kinds: readonly EventKind[];
}

/** Events of some kinds in a slice of a log. */
interface KindsSlice {
  readonly events: readonly Envelope[];
  /** The last event that the slice covers; undefined at the end of the log. */
  readonly to: EventSeq | undefined;
}

/** Reads one log. */
export class LogReader {
  readonly #connection: StoreConnection;
  readonly #rows: RowReader;

  constructor(connection: StoreConnection, rows: RowReader) {
    this.#connection = connection;
    this.#rows = rows;
  }

  /** Returns the row number of a log. @throws HarnessError SessionMissing. */
  logNumber(logId: LogId): number {
    const row = this.#connection.first("SELECT num FROM logs WHERE log_id = ? AND deleted = 0", logId);
    if (row === undefined) throw new HarnessError("SessionMissing", { id: logId });
    return this.#rows.integer(row, "num", logId);
  }

  /** Reads each range between expired ones. */
  events(logId: LogId, since: EventSeq, limit: number): readonly Envelope[] {
    return this.#connection.snapshot(() => {
      const log = this.logNumber(logId);
      const rows: Row[] = [];
      let from = since;
      for (const gap of [...expiredRanges(this.#connection, log), END]) {
        if (gap.to <= from) continue;
        if (rows.length < limit && gap.from > from + 1) {
          rows.push(...this.#eventRows({ log, from, below: gap.from, limit: limit - rows.length }));
        }
        from = gap.to;
      }
      return rows.map((row) => this.#rows.event(logId, row));
    });
  }

  markedEvents(logId: LogId, { since, limit }: EventsWanted): readonly Envelope[] {
    return this.#connection.snapshot(() => {
      const log = this.logNumber(logId);
      return this.#marked(logId, log, this.#eventRows({ log, from: since, below: END.from, limit }));
    });
  }

  markedKinds(logId: LogId, { since, limit, kinds }: EventsOfKinds): KindsSlice {
    return this.#connection.snapshot(() => {
      const log = this.logNumber(logId);
      const newest = this.#connection.first("SELECT max(id) AS id FROM events WHERE log = ?", log);
      const to = since + SLICE_EVENTS;
      const rows = this.#connection.all(
        `${EVENT_ROW} WHERE events.log = ? AND id > ? AND id <= ? AND kind IN (SELECT value FROM json_each(?))
         ORDER BY id LIMIT ?`,
        log,
        since,
        to,
        JSON.stringify(kinds),
        limit,
      );
      const isEnd = to >= Number(newest?.["id"] ?? 0);
      return { events: this.#marked(logId, log, rows), to: isEnd ? undefined : to };
    });
  }

  eventsBefore(logId: LogId, before: EventSeq, limit: number): readonly Envelope[] {
    return this.#connection.snapshot(() => {
      const log = this.logNumber(logId);
      const rows = this.#connection.all(
        `${EVENT_ROW} WHERE events.log = ? AND id <= ? ORDER BY id DESC LIMIT ?`,
        log,
        before,
        limit,
      );
      return this.#marked(logId, log, rows.reverse());
    });
  }

  messages(logId: LogId): readonly StoredMessage[] {
    return this.#connection.snapshot(() => {
      const log = this.logNumber(logId);
      const newest = this.#connection.first("SELECT max(seq) AS seq FROM messages WHERE log = ?", log);
      return this.#messagesTo(logId, log, newest);
    });
  }

  messagesAt(logId: LogId, at: EventSeq): readonly StoredMessage[] {
    return this.#connection.snapshot(() => {
      const log = this.logNumber(logId);
      return this.#messagesTo(logId, log, this.#connection.first(NEWEST_MESSAGE, log, at));
    });
  }

  /** Reads from the last boundary to a message, that of `newest` in `seq`. */
  #messagesTo(logId: LogId, log: number, newest: Row | undefined): readonly StoredMessage[] {
    const rows = this.#connection.all(
      `SELECT seq, after, turn, role, boundary, content, key_id FROM messages
       WHERE log = ?1 AND seq <= ?2 AND seq >= coalesce(
         (SELECT max(seq) FROM messages WHERE log = ?1 AND boundary = 1 AND seq <= ?2), 0)
       AND ${notExpired("messages")} ORDER BY seq`,
      log,
      newest?.["seq"] ?? 0,
    );
    return rows.map((row) => this.#rows.message(logId, row));
  }

  orphans(logId: LogId): readonly Intent[] {
    const rows = this.#connection.all(
      `SELECT call_id, tool_name, args_hash, is_mutating, started_at, summary, key_id FROM tool_call_intents
       WHERE log = ? AND outcome IS NULL
       AND ${notExpired("tool_call_intents")} ORDER BY started_at, call_id`,
      this.logNumber(logId),
    );
    return rows.map((row) => this.#rows.intent(logId, row));
  }

  costs(logId: LogId, since: EventSeq): readonly PayloadOf<"CostIncremented">[] {
    const rows = this.#connection.all(
      `SELECT provider, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, usd, turn
       FROM costs WHERE log = ? AND event > ? ORDER BY event`,
      this.logNumber(logId),
      since,
    );
    return rows.map((row) => this.#rows.cost(logId, row));
  }

  #eventRows({ log, from, below, limit }: Stretch): Row[] {
    return this.#connection.all(
      `${EVENT_ROW} WHERE events.log = ? AND id > ? AND id < ? ORDER BY id LIMIT ?`,
      log,
      from,
      below,
      limit,
    );
  }

  #marked(logId: LogId, log: number, rows: readonly Row[]): readonly Envelope[] {
    const expired = expiredRanges(this.#connection, log);
    return rows.map((row) =>
      isInRanges(Number(row["id"]), expired)
        ? this.#rows.expiredEvent(logId, row)
        : this.#rows.event(logId, row),
    );
  }
}

/** After every event. */
const END: EventRange = { from: Number.MAX_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

interface Stretch {
  readonly log: number;
  /** Lower bound, excluded. */
  readonly from: EventSeq;
  /** Upper bound, excluded. */
  readonly below: EventSeq;
  readonly limit: number;
}
