import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SILENT_LOG } from "../src/base/log.ts";
import type { World } from "../src/base/world.ts";
import { hostWorld } from "../src/platform/host.ts";
import type { QueryOf, ResultOf } from "../src/protocol/queries/queries.ts";
import { SEARCH_TIME_MS_MAX } from "../src/protocol/queries/search-queries.ts";
import { searchQueries } from "../src/server/hub/queries/search/search-queries.ts";
import { openSqliteStore } from "../src/session/sqlite/open.ts";
import type { SessionStore } from "../src/session/store/store.ts";
import type { Row } from "./report.ts";
import { ONLY_IN_OLDEST, sessionEvents, textOf } from "./search-texts.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";

const SESSIONS = 10_000;
const SESSIONS_QUICK = 1_000;
const EVENTS = 200;
const WARM_RUNS = 5;
const COMMON = "the";
const MIB = 1024 * 1024;

interface SearchFigures {
  readonly oldest: readonly number[];
  readonly first: readonly number[];
}

/**
 * Search over many sessions (CTL-19), by the handler of the query, from source, in this process: before the store has
 * an index, and after. Beside bun:sqlite alone with LIKE over the same texts in the clear, one row for each event.
 */
export async function measureSearch(place: BenchSetup): Promise<readonly Row[]> {
  const sessions = place.quick ? SESSIONS_QUICK : SESSIONS;
  const folder = mkdtempSync(join(place.scratch, "search-"));
  const world = hostWorld(SILENT_LOG);
  const bare = fillBare(join(folder, "bare.db"), sessions);
  const bareFigures = measureBare(bare);
  bare.close();
  const path = join(folder, "sessions.db");
  await using store = await openSqliteStore({
    ...{ path, world, logKey: { key: new Uint8Array(32).fill(3), source: "the bench" } },
  });
  await fill(store, world, sessions);
  const bytesBefore = Bun.file(path).size + Bun.file(`${path}-wal`).size;
  const { search, longestMs } = searching(store, world);
  const coldFirst = await timed(() => search({ text: COMMON, limit: 1 }));
  const coldMs = await timed(() => all(search, { text: ONLY_IN_OLDEST, timeMs: SEARCH_TIME_MS_MAX }));
  const coldBlockMs = longestMs();
  const bytes = Bun.file(path).size + Bun.file(`${path}-wal`).size - bytesBefore;
  const warm: { oldest: number[]; first: number[] } = { oldest: [], first: [] };
  for (let run = 0; run < WARM_RUNS; run++) {
    warm.first.push(await timed(() => search({ text: COMMON, limit: 1 })));
    warm.oldest.push(await timed(() => all(search, { text: ONLY_IN_OLDEST, timeMs: SEARCH_TIME_MS_MAX })));
  }
  const warmBlockMs = longestMs();
  rmSync(folder, { recursive: true });
  const of = `${sessions.toLocaleString("en")} sessions of ${EVENTS} events`;
  const own = (what: string, unit: string, value: number): Row => ({
    ...{ what: `search in ${of}: ${what}`, unit, cinch: sampled([value]), comparison: "alone" },
  });
  return [
    {
      what: `search in ${of}: a word that only the oldest has`,
      unit: "ms",
      ...{ cinch: sampled(warm.oldest), bare: sampled(bareFigures.oldest), comparison: "alone", aim: 2_000 },
    },
    {
      what: `search in ${of}: the first hit of a common word`,
      unit: "ms",
      ...{ cinch: sampled(warm.first), bare: sampled(bareFigures.first), comparison: "alone", aim: 100 },
    },
    { ...own("the first hit, without an index", "ms", coldFirst), aim: 100 },
    own("all of it without an index, which makes one", "ms", coldMs),
    { ...own("the longest wait of other work, while the index is made", "ms", coldBlockMs), aim: 10 },
    { ...own("the longest wait of other work, with an index", "ms", warmBlockMs), aim: 10 },
    own("the index", "MiB", bytes / MIB),
  ];
}

type Search = (query: Omit<QueryOf<"SearchSessions">, "kind">) => Promise<ResultOf<"SearchSessions">>;

function searching(store: SessionStore, world: World): { search: Search; longestMs: () => number } {
  const handlers = searchQueries({
    store,
    world,
    find: () => Promise.reject(new Error("no session is named")),
  });
  let longest = 0;
  const asking = { identityClass: "human", signal: new AbortController().signal } as const;
  return {
    async search(query) {
      let last = performance.now();
      const ticks = setInterval(() => {
        longest = Math.max(longest, performance.now() - last - 1);
        last = performance.now();
      }, 1);
      try {
        return await handlers.SearchSessions({ kind: "SearchSessions", ...query }, asking);
      } finally {
        clearInterval(ticks);
      }
    },
    longestMs() {
      const ms = longest;
      longest = 0;
      return ms;
    },
  };
}

/** Searches on until the answer is complete. */
async function all(search: Search, query: Parameters<Search>[0]): Promise<void> {
  let answer = await search(query);
  let hits = answer.hits.length;
  while (answer.cursor !== undefined) {
    answer = await search({ ...query, cursor: answer.cursor });
    hits += answer.hits.length;
  }
  if (!answer.complete || hits !== 1) throw new Error("the search has not found the one item");
}

async function fill(store: SessionStore, world: World, sessions: number): Promise<void> {
  const { pid, processStart } = world.machine;
  for (let session = 0; session < sessions; session++) {
    const log = {
      logId: world.ids.next("log"),
      session: world.ids.next("sess"),
      ...{ workingDir: "/repo", profile: "default", model: "bench:model" },
      createdAt: new Date(world.clock.now()).toISOString(),
    };
    await using writer = await store.create(log, { pid, processStart });
    await writer.append(
      { events: sessionEvents(log.session, { session, events: EVENTS, world }) },
      "process",
    );
  }
}

function fillBare(path: string, sessions: number): Database {
  const database = new Database(path, { create: true });
  database.run("PRAGMA journal_mode = WAL");
  database.run(
    "CREATE TABLE events (log INTEGER, id INTEGER, text TEXT, PRIMARY KEY (log, id)) WITHOUT ROWID",
  );
  const insert = database.prepare("INSERT INTO events VALUES (?, ?, ?)");
  const world = hostWorld(SILENT_LOG);
  const add = database.transaction((session: number) => {
    for (const event of sessionEvents(world.ids.next("sess"), { session, events: EVENTS, world }))
      insert.run(session, event.id, textOf(event));
  });
  for (let session = 0; session < sessions; session++) add(session);
  insert.finalize();
  return database;
}

function measureBare(database: Database): SearchFigures {
  const oldest: number[] = [];
  const first: number[] = [];
  const find = database.prepare(
    "SELECT log, id, text FROM events WHERE text LIKE ? ORDER BY log DESC, id DESC LIMIT ?",
  );
  for (let run = 0; run < WARM_RUNS; run++) {
    let startMs = performance.now();
    if (find.all(`%${ONLY_IN_OLDEST}%`, 20).length !== 1) throw new Error("the word is in one event");
    oldest.push(performance.now() - startMs);
    startMs = performance.now();
    find.all(`%${COMMON}%`, 1);
    first.push(performance.now() - startMs);
  }
  find.finalize();
  return { oldest, first };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
