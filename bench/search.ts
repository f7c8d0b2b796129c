import { Database } from "bun:sqlite";
import { statSync } from "node:fs";
import type { ResultOf } from "../src/protocol/queries/queries.ts";
import { SEARCH_TIME_MS_MAX } from "../src/protocol/queries/search-queries.ts";
import type { BareRead } from "./queries/cases.ts";
import { foundIn } from "./queries/cases.ts";
import type { StoredPrograms } from "./queries/stored-sessions.ts";
import { storedSessions, untilIndexed } from "./queries/stored-sessions.ts";
import type { Row } from "./report.ts";
import { ONLY_IN_OLDEST } from "./search-texts.ts";
import { sampled } from "./statistics.ts";
import type { BenchSetup } from "./subject.ts";
import type { Asked } from "./watching.ts";

const RUNS = 5;
const COMMON = "the";
const MIB = 1024 * 1024;

/**
 * Search over many sessions and one long log (CTL-19), by the query, in an engine from source: before the store has an
 * index, and after. Beside bun:sqlite alone with LIKE over the same events in the clear.
 */
export async function measureSearch(place: BenchSetup): Promise<readonly Row[]> {
  const programs = await storedSessions(place);
  const { sessions, events, longEvents } = programs.stored;
  const many = (count: number) => count.toLocaleString("en");
  const of = `search in ${many(sessions)} sessions of ${events} events and one of ${many(longEvents)}`;
  using engine = programs.engine();
  await engine.said;
  const rows: Row[] = [];
  const tell = (what: string, unit: string, value: number, aim?: number) =>
    rows.push({
      ...{ what: `${of}: ${what}`, unit, cinch: sampled([value]), comparison: "alone" },
      ...(aim === undefined ? {} : { aim }),
    });
  if (!isIndexed(programs)) {
    const bytes = sizeOf(programs);
    await longestWait(engine);
    tell(
      "the first hit, without an index",
      "ms",
      await timed(() => search(engine, { text: COMMON, limit: 1 })),
      100,
    );
    const { ms, answers } = await untilComplete(engine);
    tell("a word that only the oldest has, without an index, which makes one", "ms", ms);
    tell("answers until that one was complete", "", answers);
    tell("time until all is indexed", "ms", ms + (await timed(() => untilIndexed(programs))));
    tell("the longest wait of other work meanwhile", "ms", await longestWait(engine), 10);
    tell("the index", "MiB", (sizeOf(programs) - bytes) / MIB);
  }
  const warm: { readonly oldest: number[]; readonly first: number[] } = { oldest: [], first: [] };
  await longestWait(engine);
  for (let run = 0; run < RUNS; run++) {
    warm.first.push(await timed(() => search(engine, { text: COMMON, limit: 1 })));
    warm.oldest.push((await untilComplete(engine)).ms);
  }
  tell("the longest wait of other work, with an index", "ms", await longestWait(engine), 10);
  await engine.ask(JSON.stringify({ leave: true }));
  using bare = programs.bare();
  await bare.said;
  const both = (what: string, cinch: readonly number[], beside: readonly number[], aim: number): Row => ({
    ...{
      what: `${of}: ${what}`,
      unit: "ms",
      cinch: sampled(cinch),
      bare: sampled(beside),
      comparison: "alone",
      aim,
    },
  });
  return [
    both(
      "a word that only the oldest has",
      warm.oldest,
      await bareTimes(bare, foundIn(ONLY_IN_OLDEST, 20)),
      2_000,
    ),
    both("the first hit of a common word", warm.first, await bareTimes(bare, foundIn(COMMON, 1)), 100),
    ...rows,
  ];
}

async function search(engine: Asked, fields: object): Promise<ResultOf<"SearchSessions">> {
  const query = { kind: "SearchSessions", ...fields };
  return (await engine.ask(JSON.stringify({ query }))) as ResultOf<"SearchSessions">;
}

/** Searches on by the cursor until the answer is complete. */
async function untilComplete(engine: Asked): Promise<{ readonly ms: number; readonly answers: number }> {
  const startMs = performance.now();
  let hits = 0;
  for (let answers = 1, cursor: string | undefined; ; answers++) {
    const answer = await search(engine, { text: ONLY_IN_OLDEST, timeMs: SEARCH_TIME_MS_MAX, cursor });
    hits += answer.hits.length;
    ({ cursor } = answer);
    if (cursor !== undefined) continue;
    if (!answer.complete || hits !== 1) throw new Error("the search has not found the one item");
    return { ms: performance.now() - startMs, answers };
  }
}

async function longestWait(engine: Asked): Promise<number> {
  return (await engine.ask(JSON.stringify({ longest: true }))) as number;
}

async function bareTimes(bare: Asked, read: BareRead): Promise<readonly number[]> {
  return (await bare.ask(JSON.stringify({ ...read, runs: RUNS }))) as readonly number[];
}

function isIndexed({ path }: StoredPrograms): boolean {
  using database = new Database(path, { readonly: true });
  return database.query("SELECT 1 FROM search_segments LIMIT 1").get() !== null;
}

function sizeOf({ path }: StoredPrograms): number {
  return [path, `${path}-wal`].reduce(
    (sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
