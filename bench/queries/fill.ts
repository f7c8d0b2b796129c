import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { configuredProviders, openStore } from "../../src/app/engine/open-store.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import type { World } from "../../src/base/world.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { Envelope } from "../../src/protocol/events/envelope.ts";
import type { SessionStore } from "../../src/session/store/store.ts";
import { BENCH_MODEL, benchOptions } from "../bench-harness.ts";
import { eachSessionEvent, textOf } from "../search-texts.ts";
import type { StoredLog } from "./stored.ts";
import { RARE_TITLE } from "./stored.ts";

/**
 * Fills the store of the home with sessions, sealed as the engine seals them, and a bare database with the same texts
 * in the clear. Prints what was made as JSON.
 *
 *     HOME=FOLDER bun bench/queries/fill.ts SESSIONS EVENTS LONG BARE
 */
const [sessions = 0, events = 0, long = 0] = Bun.argv.slice(2, 5).map(Number);
const [barePath = ""] = Bun.argv.slice(5);
const BATCH = 128;
/** Working directories of the sessions. */
const FOLDERS = 10;
/** All sessions began in the last days, and none is old enough to expire. */
const SPREAD_MS = 5 * 86_400_000;

const host = hostWorld(SILENT_LOG);
let backMs = SPREAD_MS;
const world: World = { ...host, clock: { ...host.clock, now: () => host.clock.now() - backMs } };
const options = benchOptions(world);
mkdirSync(options.paths.data, { recursive: true });
const { providers } = await configuredProviders(options);
await using store = await openStore(options, providers, { signal: new AbortController().signal });
const bare = openBare(barePath);
const folders = Array.from({ length: FOLDERS }, (_, at) => join(process.cwd(), `${at}`));
for (const folder of folders) mkdirSync(folder, { recursive: true });
let oldest: StoredLog | undefined;
let middle: StoredLog | undefined;
let newest: StoredLog | undefined;
for (let session = 0; session < sessions; session++) {
  backMs = SPREAD_MS * (1 - session / sessions);
  newest = await add(store, { session, events, directory: folders[session % folders.length] ?? "" });
  oldest ??= newest;
  if (session === Math.floor(sessions / 2)) middle = newest;
}
backMs = 0;
const longLog = await add(store, { session: sessions, events: long, directory: process.cwd() });
bare.close();
console.log(
  JSON.stringify({
    oldest,
    middle,
    newest,
    long: longLog,
    folder: folders[0],
    sessions,
    events,
    longEvents: long,
  }),
);

async function add(
  into: SessionStore,
  {
    session,
    events: count,
    directory,
  }: { readonly session: number; readonly events: number; readonly directory: string },
): Promise<StoredLog> {
  const filled = { logId: world.ids.next("log"), session: world.ids.next("sess") };
  // Its events are written within a moment: all have the time at which it began.
  const createdAt = new Date(world.clock.now()).toISOString();
  const facts = { workingDir: directory, profile: "default", model: BENCH_MODEL, createdAt };
  const { pid, processStart } = world.machine;
  await using writer = await into.create({ ...filled, ...facts }, { pid, processStart });
  const title = session === Math.floor(sessions / 2) ? RARE_TITLE : undefined;
  const add = bare.log(filled.session, { directory, createdAt });
  for (const batch of batches(eachSessionEvent(filled.session, { session, events: count, world }), BATCH)) {
    const [first, ...rest] = batch;
    const titled =
      first === undefined || title === undefined || first.id !== 1
        ? batch
        : [entitled(first, title), ...rest];
    await writer.append({ events: titled, messages: titled.flatMap(messageOf) }, "process");
    add(titled);
  }
  return { ...filled, updatedAt: createdAt };
}

function entitled(event: Envelope, title: string): Envelope {
  if (event.kind !== "TurnStarted") throw new Error("a session begins with a turn");
  return { ...event, payload: { ...event.payload, content: [{ type: "text", text: title }] } };
}

/** One message for each prompt, as a history has it. */
function messageOf({ kind, id, payload }: Envelope) {
  if (kind !== "TurnStarted") return [];
  const message = { role: "user" as const, content: payload.content ?? [] };
  return [{ after: id, turn: payload.turn, message }];
}

function* batches<Of>(all: Iterable<Of>, size: number): Generator<readonly Of[]> {
  let batch: Of[] = [];
  for (const each of all) {
    batch.push(each);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The same rows in the clear: what a list, a page and a search would read if nothing were sealed. */
function openBare(path: string) {
  mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path, { create: true });
  database.run("PRAGMA journal_mode = WAL");
  database.run(`CREATE TABLE logs (num INTEGER PRIMARY KEY, session TEXT NOT NULL UNIQUE, directory TEXT NOT NULL,
    updated_at TEXT NOT NULL, title TEXT NOT NULL, turns INTEGER NOT NULL, usd REAL NOT NULL)`);
  database.run("CREATE INDEX logs_by_time ON logs (updated_at)");
  database.run("CREATE INDEX logs_by_directory ON logs (directory, updated_at)");
  database.run(`CREATE TABLE events (log INTEGER, id INTEGER, turn INTEGER, kind TEXT, ts TEXT, payload TEXT,
    PRIMARY KEY (log, id)) WITHOUT ROWID`);
  const insertLog = database.prepare(
    "INSERT INTO logs (session, directory, updated_at, title, turns, usd) VALUES (?, ?, ?, ?, 0, 0)",
  );
  const insert = database.prepare("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)");
  const facts = database.prepare(
    "UPDATE logs SET title = iif(title = '', ?, title), turns = ?, usd = usd + ? WHERE num = ?",
  );
  return {
    log(
      session: string,
      { directory, createdAt }: { readonly directory: string; readonly createdAt: string },
    ) {
      const log = Number(insertLog.run(session, directory, createdAt, "").lastInsertRowid);
      let turn = 0;
      return database.transaction((batch: readonly Envelope[]) => {
        let [title, usd] = ["", 0];
        for (const event of batch) {
          if (event.kind === "TurnStarted") {
            turn = event.payload.turn;
            if (turn === 1) title = textOf(event).slice(0, 80);
          }
          if (event.kind === "CostIncremented") usd += event.payload.usd ?? 0;
          insert.run(log, event.id, turn, event.kind, event.ts, JSON.stringify(event.payload));
        }
        facts.run(title, turn, usd, log);
      });
    },
    close() {
      for (const statement of [insertLog, insert, facts]) statement.finalize();
      database.close();
    },
  };
}
