import { Database } from "bun:sqlite";
import type { Envelope } from "../src/protocol/events/envelope.ts";
import type { LogFigures, LogWork } from "./log-work.ts";
import { SCREEN_EVENTS, timedSync } from "./log-work.ts";

/**
 * Does the store's work with bun:sqlite alone: one table of JSON, prepared statements, the same batches and the same
 * syncs. Nothing is sealed, redacted, checked, leased, counted or expired.
 */
export function measureBareLog(path: string, work: LogWork): LogFigures {
  let database = opened(path);
  database.run("PRAGMA auto_vacuum = INCREMENTAL");
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE events (id INTEGER PRIMARY KEY, ts TEXT, kind TEXT, payload TEXT) STRICT");
  database.run("CREATE TABLE messages (seq INTEGER PRIMARY KEY, after INTEGER, message TEXT) STRICT");
  database.run("CREATE TABLE calls (id TEXT PRIMARY KEY, intent TEXT, outcome TEXT) STRICT");
  const insert = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?)");
  const add = (event: Envelope) =>
    void insert.run(event.id, event.ts, event.kind, JSON.stringify(event.payload));
  const figures: LogFigures = {
    ...{ power: [], process: [], calls: [], batches: [], screen: [], page: [], resume: [], replay: [] },
  };
  const sync = (mode: "FULL" | "NORMAL") => database.run(`PRAGMA synchronous = ${mode}`);
  const addOne = database.transaction(add);
  for (const event of work.singles()) {
    const [mode, list] =
      event.id % 2 === 0 ? (["FULL", figures.power] as const) : (["NORMAL", figures.process] as const);
    sync(mode);
    list.push(timedSync(() => addOne(event)));
  }
  sync("FULL");
  const begin = database.prepare("INSERT INTO calls (id, intent) VALUES (?, ?)");
  const end = database.prepare("UPDATE calls SET outcome = ? WHERE id = ?");
  for (const { intent, outcome } of work.calls()) {
    figures.calls.push(
      timedSync(() => {
        begin.run(intent.callId, JSON.stringify(intent));
        end.run(JSON.stringify(outcome), intent.callId);
      }),
    );
  }
  sync("NORMAL");
  const addMessage = database.prepare("INSERT INTO messages (after, message) VALUES (?, ?)");
  const addBatch = database.transaction(
    (events: readonly Envelope[], messages: ReturnType<LogWork["messages"]>) => {
      for (const event of events) add(event);
      for (const { after, message } of messages) addMessage.run(after, JSON.stringify(message));
    },
  );
  for (const events of work.batches()) {
    const messages = work.messages(events);
    figures.batches.push(timedSync(() => addBatch(events, messages)) / events.length);
  }
  for (const statement of [insert, begin, end, addMessage]) statement.finalize();
  database.close();
  for (let run = 0; run < 5; run++) {
    figures.screen.push(
      timedSync(() => {
        database = opened(path);
        const rows = database
          .query("SELECT id, ts, kind, payload FROM events ORDER BY id DESC LIMIT ?")
          .all(SCREEN_EVENTS) as { readonly payload: string }[];
        for (const row of rows.reverse()) JSON.parse(row.payload);
      }),
    );
    if (run < 4) database.close();
  }
  const after = database.prepare("SELECT id, ts, kind, payload FROM events WHERE id > ? ORDER BY id LIMIT ?");
  const page = (since: number, limit: number) => {
    const rows = after.all(since, limit) as { readonly id: number; readonly payload: string }[];
    for (const row of rows) JSON.parse(row.payload);
    return rows;
  };
  for (const since of work.places) figures.page.push(timedSync(() => page(since, work.pageEvents)));
  for (let run = 0; run < 3; run++) {
    figures.resume.push(
      timedSync(() => {
        const rows = database.query("SELECT message FROM messages ORDER BY seq").all() as {
          readonly message: string;
        }[];
        for (const row of rows) JSON.parse(row.message);
      }),
    );
  }
  const replayMs = timedSync(() => {
    for (let since = 0; ; ) {
      const last = page(since, work.pageEvents).at(-1);
      if (last === undefined) break;
      since = last.id;
    }
  });
  figures.replay.push(replayMs / work.events);
  after.finalize();
  database.close();
  return figures;
}

function opened(path: string): Database {
  return new Database(path, { create: true });
}
