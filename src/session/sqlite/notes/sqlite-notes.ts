import { HarnessError } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import type { Mark, Note, SessionNotes } from "../../store/notes/notes.ts";
import { READERS_MAX } from "../../store/notes/notes.ts";
import type { StoreConnection } from "../connection.ts";
import type { WriterSeal } from "../keys/data-keys.ts";
import { notExpired } from "../retention/expiry.ts";
import type { NoteKind, RowReader } from "../rows.ts";
import { noteScope, packValue } from "../rows.ts";
import { countTurnsRead, countUnread } from "./marks.ts";

/** The parts of a store that notes need. Each is asked for every time: the file may be reopened. */
export interface NoteTables {
  connection(): StoreConnection;
  rows(): RowReader;
  /** Returns the row number of a log. @throws HarnessError SessionMissing. */
  logNumber(logId: LogId): number;
  sealOf(log: number, logId: LogId): WriterSeal;
  /** Runs the work once no other process has the file locked. */
  read<Result>(work: () => Result): Promise<Result>;
  /** Runs the work in one transaction; a note survives the death of the process, and a title a loss of power too. */
  change<Result>(durability: "process" | "power", work: () => Result): Promise<Result>;
}

/** Returns the notes of the store in one SQLite file. */
export function sqliteNotes(tables: NoteTables): SessionNotes {
  return {
    rename: (logId, title) =>
      tables.change("power", () => put(tables, logId, { kind: "title", reader: "", ...title })),

    renamed: () => tables.read(() => renamedLogs(tables)),

    archive: (logId, archived) =>
      tables.change("power", () => {
        const log = tables.logNumber(logId);
        tables.connection().run("UPDATE logs SET archived = ? WHERE num = ?", archived ? 1 : 0, log);
      }),

    markRead: (logId, reader, mark) =>
      tables.change("process", () => putMark(tables, logId, { reader, ...mark })),

    unread: (logId, reader) =>
      tables.read(() => countUnread(tables.connection(), tables.logNumber(logId), reader)),

    setDraft: (logId, reader, draft) =>
      tables.change("process", () => put(tables, logId, { kind: "draft", reader, ...draft })),

    draft: (logId, reader) => tables.read(() => draftOf(tables, logId, reader)),

    hasDraft: (logId) => tables.read(() => countDrafts(tables.connection(), tables.logNumber(logId)) > 0),
  };
}

function renamedLogs(tables: NoteTables): readonly LogId[] {
  const rows = tables.connection().all(
    `SELECT logs.log_id FROM notes JOIN logs ON logs.num = notes.log
       WHERE notes.kind = 'title' AND logs.deleted = 0 AND ${notExpired("notes")} ORDER BY logs.log_id DESC`,
  );
  return rows.map((row) => tables.rows().text(row, "log_id", "a title") as LogId); // stored as it was made
}

/** Writes a text, or removes it if it is empty. */
function put(
  tables: NoteTables,
  logId: LogId,
  { kind, reader, text, ts }: Note & { readonly kind: NoteKind; readonly reader: string },
): void {
  const connection = tables.connection();
  const log = tables.logNumber(logId);
  connection.run("DELETE FROM notes WHERE log = ? AND kind = ? AND reader = ?", log, kind, reader);
  if (text === "") return;
  if (kind === "draft") assertRoom(connection, log, logId);
  const seal = tables.sealOf(log, logId);
  seal.begin();
  const { keyId, bytes } = seal.seal(noteScope(logId, { kind, reader, ts }), packValue(text));
  connection.run(
    "INSERT INTO notes (log, kind, reader, ts, content, key_id) VALUES (?, ?, ?, ?, ?, ?)",
    log,
    kind,
    reader,
    ts,
    bytes,
    keyId,
  );
}

/** @throws HarnessError DraftsFull. */
function assertRoom(connection: StoreConnection, log: number, logId: LogId): void {
  const count = countDrafts(connection, log);
  if (count >= READERS_MAX) throw new HarnessError("DraftsFull", { id: logId, count: `${count}` });
}

function countDrafts(connection: StoreConnection, log: number): number {
  const drafts = connection.first(
    `SELECT count(*) AS count FROM notes WHERE log = ? AND kind = 'draft' AND ${notExpired("notes")}`,
    log,
  );
  return Number(drafts?.["count"] ?? 0);
}

function draftOf(tables: NoteTables, logId: LogId, reader: string): Note | undefined {
  const row = tables.connection().first(
    `SELECT kind, reader, ts, content, key_id FROM notes
       WHERE log = ? AND kind = 'draft' AND reader = ? AND ${notExpired("notes")}`,
    tables.logNumber(logId),
    reader,
  );
  if (row === undefined) return undefined;
  return { text: tables.rows().note(logId, row), ts: tables.rows().text(row, "ts", logId) };
}

function putMark(
  tables: NoteTables,
  logId: LogId,
  { reader, event, ts }: Mark & { readonly reader: string },
): void {
  const connection = tables.connection();
  const log = tables.logNumber(logId);
  connection.run(
    `INSERT INTO marks (log, reader, event, turns_ended, ts) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (log, reader) DO UPDATE SET event = excluded.event, turns_ended = excluded.turns_ended,
       ts = excluded.ts`,
    log,
    reader,
    event,
    countTurnsRead(connection, log, event),
    ts,
  );
  const known = connection.first("SELECT count(*) AS count FROM marks WHERE log = ?", log);
  if (Number(known?.["count"] ?? 0) <= READERS_MAX) return;
  const oldest = connection.first(
    "SELECT reader, min(ts) FROM marks WHERE log = ? AND reader != ?",
    log,
    reader,
  );
  connection.run("DELETE FROM marks WHERE log = ? AND reader = ?", log, oldest?.["reader"] ?? null);
}
