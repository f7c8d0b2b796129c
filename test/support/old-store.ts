import { Database } from "bun:sqlite";
import type { CallId, LogId, SessionId } from "../../src/base/ids.ts";
import { MIGRATIONS } from "../../src/session/sqlite/schema/migrations.ts";
import { keyFingerprint, sealBytes } from "../../src/session/store/seal.ts";
import { LOG_KEY, T0 } from "./store-rig.ts";
import type { TestWorld } from "./world.ts";

const DAY = T0.slice(0, 10);
const KEY_ID = "00112233aabbccdd";

export interface OldStore {
  readonly path: string;
  readonly events: number;
  /** Schema version of the store. */
  readonly version: 2 | 3;
}

export interface OldLog {
  readonly logId: LogId;
  readonly session: SessionId;
  /** Payloads of its events, in order. */
  readonly payloads: unknown[];
  /** A call that has not ended, beside one that has. */
  readonly openCall: CallId;
}

/**
 * Makes a store as an earlier schema had it, with one log of sealed rows. The texts that contents are bound to are
 * written out here once more: a store of then is to be read for ever.
 */
export function makeOldStore({ path, events, version }: OldStore, world: TestWorld): OldLog {
  const [logId, session] = [world.ids.next("log"), world.ids.next("sess")];
  const [openCall, endedCall] = [world.ids.next("call"), world.ids.next("call")];
  const random = (count: number) => world.random.bytes(count);
  const key = random(32);
  const seal = (table: string, row: string | number, kind: string, value: unknown) =>
    sealBytes(
      { key, random },
      ["cinch row v1", logId, table, row, kind, KEY_ID].join("\0"),
      new TextEncoder().encode(JSON.stringify(value)),
    );
  using database = new Database(path);
  database.run("PRAGMA auto_vacuum = INCREMENTAL");
  database.run("PRAGMA journal_mode = WAL");
  database.run(
    "CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT",
  );
  const payloads: unknown[] = [];
  database.transaction(() => {
    for (const { version: step, sql } of MIGRATIONS.slice(0, version)) {
      database.run(sql);
      const hash = new Bun.CryptoHasher("sha256").update(sql).digest("hex");
      database.run("INSERT INTO schema_migrations VALUES (?, ?, ?)", [step, T0, hash]);
    }
    database.run(
      `INSERT INTO logs (num, log_id, working_dir, profile, model, created_at, updated_at, turns, title, key_id)
       VALUES (1, ?, '/w', 'default', 'a:b', ?, ?, 1, ?, ?)`,
      [logId, T0, T0, seal("logs", "title", "title", "an old title"), KEY_ID],
    );
    database.run("INSERT INTO runs VALUES (1, 1, ?, ?)", [session, T0]);
    database.run("INSERT INTO leases VALUES (1, 1, NULL, NULL, 1)");
    const wrapText = ["cinch data key v1", logId, DAY, KEY_ID].join("\0");
    database.run("INSERT INTO data_keys (key_id, log, day, wrapped) VALUES (?, 1, ?, ?)", [
      ...[KEY_ID, DAY],
      sealBytes({ key: LOG_KEY.key, random }, wrapText, key),
    ]);
    database.run("INSERT INTO sealing VALUES (1, ?, ?)", [keyFingerprint(LOG_KEY.key), T0]);
    if (version === 3)
      database.run("INSERT INTO key_spans (log, from_event, key_id) VALUES (1, 1, ?)", [KEY_ID]);
    const insert = database.query(
      `INSERT INTO events (log, id, run, turn, kind, ts, content, key_id)
       VALUES (1, ?, 1, 1, 'ToolResult', ?, ?, '${KEY_ID}')`,
    );
    for (let id = 1; id <= events; id++) {
      const content = [{ type: "text", text: `result ${id} ${"words ".repeat(40)}` }];
      const payload = { callId: "call_01J0000000000000000000000", content, isError: id % 2 === 0 };
      insert.run(id, T0, seal("events", id, "ToolResult", payload));
      payloads.push(payload);
    }
    const content = [{ type: "text", text: "an old message" }];
    database.run(
      `INSERT INTO messages (log, seq, after, turn, role, boundary, content, key_id) VALUES (1, 1, 0, 1, 'user', 0, ?, ?)`,
      [seal("messages", 1, "user", content), KEY_ID],
    );
    for (const callId of [openCall, endedCall])
      database.run(
        `INSERT INTO tool_call_intents (call_id, log, tool_name, args_hash, is_mutating, started_at, summary, key_id)
         VALUES (?, 1, 'Bash', '', 1, ?, ?, ?)`,
        [callId, T0, seal("tool_call_intents", callId, "Bash", ["hash", "an old call"]), KEY_ID],
      );
    if (version === 3)
      database.run("UPDATE tool_call_intents SET is_open = 0 WHERE call_id = ?", [endedCall]);
    database.run("INSERT INTO tool_call_outcomes VALUES (?, 'ok', ?, NULL)", [endedCall, T0]);
  })();
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return { logId, session, payloads, openCall };
}
