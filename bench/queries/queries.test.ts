import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { QUERY_KINDS } from "../../src/protocol/kinds.ts";
import { temporaryDirectory } from "../../test/support/world.ts";
import { measureClients } from "../clients.ts";
import { measureCompletion } from "../completion.ts";
import { endAll } from "../guard.ts";
import { judge, table } from "../report.ts";
import { measureSearch } from "../search.ts";
import type { BenchSetup } from "../subject.ts";
import type { QueryCase } from "./cases.ts";
import { QUERY_CASES } from "./cases.ts";
import { measureQueries } from "./queries.ts";
import { storedSessions } from "./stored-sessions.ts";

const directory = temporaryDirectory();
const place: BenchSetup = {
  scratch: directory.path,
  bun: process.execPath,
  root: join(import.meta.dir, "../.."),
  ...{ quick: true, long: false, cinch: [], bare: "", hello: "" },
};
const SIZES = { sessions: 30, events: 60, longEvents: 2_000 };

afterAll(async () => {
  endAll();
  await directory[Symbol.asyncDispose]();
});

test("[CTL-19] search and queries are measured over the same sessions, and each query has its row", async () => {
  await storedSessions(place, SIZES);
  const search = await measureSearch(place);
  expect(search.map(({ what }) => what)).toContainEqual(expect.stringContaining("without an index"));
  const rows = await measureQueries(place, ["GetItem"]);
  expect(rows.map(({ what }) => what)).toEqual(["GetItem: in the middle of the long log"]);
  const text = table(rows.map(judge));
  for (const column of ["× bare", "95 %", "first of a process", "by REST"]) expect(text).toContain(column);
});

test("[CTL-19 PERF-05] each way of asking a query is answered, and so is the bare read beside it", async () => {
  const { stored, engine, bare } = await storedSessions(place, SIZES);
  using asked = engine();
  using read = bare();
  await Promise.all([asked.said, read.said]);
  const running = await asked.ask(JSON.stringify({ resume: stored.newest.logId }));
  for (const kind of QUERY_KINDS) {
    const cases = QUERY_CASES[kind];
    if ("reads" in cases) continue;
    for (const each of cases as readonly QueryCase[]) {
      const query = { kind, ...each.ask(stored, running as never) };
      const what = `${kind}: ${each.what}`;
      const ms = (await asked.ask(JSON.stringify({ query, runs: 1 }))) as readonly number[];
      expect({ what, runs: ms.length }).toEqual({ what, runs: 1 });
      const bareMs = each.bare && (await read.ask(JSON.stringify({ ...each.bare(stored), runs: 1 })));
      expect({ what, bare: bareMs ?? [0] }).toEqual({ what, bare: [expect.any(Number)] });
    }
  }
});

test("[CTL-19] the completion of files is measured, and finds what it should", async () => {
  const rows = await measureCompletion(place, 1_000);
  expect(rows.map(({ unit, cinch }) => [unit, cinch.median > 0])).toEqual(Array(3).fill(["ms", true]));
});

test("[PERF-04] the memory of rich clients is measured while each has news, events and answers", async () => {
  const rows = await measureClients(place, 2);
  expect(rows.find(({ what }) => what.startsWith("events that each"))?.cinch.median).toBeGreaterThan(0);
});
