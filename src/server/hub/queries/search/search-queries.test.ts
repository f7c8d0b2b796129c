import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { BOTH_STORES } from "../../../../../test/support/both-stores.ts";
import { holds } from "../../../../../test/support/property.ts";
import type { SearchedFor } from "../../../../../test/support/search-model.ts";
import { SearchModel, searchedFor, searchSteps } from "../../../../../test/support/search-model.ts";
import type { Rig } from "../../../../../test/support/store-rig.ts";
import { closedWith, newLog, openRig, turn } from "../../../../../test/support/store-rig.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { QueryOf, ResultOf } from "../../../../protocol/queries/queries.ts";
import type { QueryContext } from "../../../../session/commands/query-handlers.ts";
import { searchQueries } from "./search-queries.ts";
import { INDEXED_FIRST_MAX } from "./searched-logs.ts";

type Answer = ResultOf<"SearchSessions">;

const ASKING: QueryContext = { identityClass: "human", signal: new AbortController().signal };

function searchOf({ store, world }: Rig, asking: QueryContext = ASKING) {
  const handlers = searchQueries({
    store,
    world,
    async find(id) {
      const info = await store.find(id);
      if (info === undefined) throw new HarnessError("UnknownSession", { id });
      return info;
    },
  });
  return async (query: Omit<QueryOf<"SearchSessions">, "kind">) =>
    await handlers.SearchSessions({ kind: "SearchSessions", ...query }, asking);
}

/** Returns the hits of all pages. */
async function allHits(rig: Rig, query: SearchedFor): Promise<readonly string[]> {
  const search = searchOf(rig);
  const { tool, file, ...words } = query;
  const asked = {
    ...words,
    ...(tool === undefined ? {} : { tool }),
    ...(file === undefined ? {} : { file }),
  };
  const hits: Answer["hits"][number][] = [];
  let page = await search(asked);
  for (;;) {
    expect(page.hits.length).toBeLessThanOrEqual(query.limit);
    hits.push(...page.hits);
    if (page.cursor === undefined) break;
    expect(page.complete).toBe(false);
    page = await search({ ...asked, cursor: page.cursor });
  }
  expect(page.complete).toBe(true);
  return hits.map(({ log, event, kind }) => `${log} ${event} ${kind}`);
}

describe.each(Object.entries(BOTH_STORES))("search in a store: %s", (_name, open) => {
  test("[CTL-19] a search finds what a naive scan of random logs finds, in order and page by page", async () => {
    let [searched, found] = [0, 0];
    const logs = fc.asyncProperty(
      searchSteps,
      fc.array(searchedFor, { minLength: 1, maxLength: 4 }),
      async (steps, searches) => {
        await using rig = await openRig(open);
        const model = new SearchModel(rig);
        const compare = async () => {
          for (const search of searches) {
            const expected = await model.expected(search);
            searched += 1;
            if (expected.length > 0) found += 1;
            expect({ search, hits: await allHits(rig, search) }).toEqual({ search, hits: expected });
          }
        };
        for (const step of steps) {
          await model.take(step);
          if (step.search) await compare();
          if (step.keepsDays !== undefined) await model.expire(step.keepsDays);
        }
        await compare();
        await model.close();
        await compare();
        await compare();
      },
    );
    await holds(logs, 60);
    // A comparison of nothing with nothing shows nothing.
    expect(found / searched).toBeGreaterThan(0.3);
  }, 300_000);

  test("[CTL-19] a long log is searched from its end on, and a cursor continues in the middle of it", async () => {
    await using rig = await openRig(open);
    const { hits, log } = await longLog(rig, 900);
    const search = searchOf(rig);
    const found: number[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await search({ text: "needle", limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      found.push(...page.hits.map(({ event }) => event));
      expect(page.hits.every((hit) => hit.log === log && hit.turn === (hit.event + 1) / 2)).toBe(true);
      ({ cursor } = page);
    }
    expect(found).toEqual([...hits].reverse());
  });

  test("[CTL-19] a search whose time is over says so, and its cursors lead to the end", async () => {
    await using rig = await openRig(open);
    await longLog(rig, 900);
    let ms = 0;
    // Each look at the clock takes a millisecond.
    const world = { ...rig.world, clock: { ...rig.world.clock, monotonic: () => (ms += 1) } };
    const search = searchOf({ ...rig, world });
    let answer = await search({ text: "absent from all", timeMs: 1 });
    expect(answer).toMatchObject({ hits: [], complete: false });
    expect(answer.cursor).toBeDefined();
    let pages = 1;
    for (; answer.cursor !== undefined; pages++)
      answer = await search({ text: "absent from all", timeMs: 1, cursor: answer.cursor });
    expect(answer.complete).toBe(true);
    expect(pages).toBeLessThan(50);
  });

  test("[CTL-19] a long log without an index gives its newest hit first, and is indexed behind the answer", async () => {
    await using rig = await openRig(open);
    const { hits } = await longLog(rig, INDEXED_FIRST_MAX);
    const { search } = rig.store;
    const indexed: string[] = [];
    const index: Rig["store"]["search"] = search && {
      probe: (probe) => search.probe(probe),
      index: async () => indexed.push("first") > 0,
      indexAll: async () => void indexed.push("all"),
    };
    const store: Rig["store"] = {
      ...closedWith(rig.store, { [Symbol.asyncDispose]: async () => undefined }),
      ...(index === undefined ? {} : { search: index }),
    };
    const answer = await searchOf({ ...rig, store })({ text: "needle", limit: 1 });
    expect(answer.hits.map(({ event }) => event)).toEqual(hits.slice(-1));
    expect(answer.searched.events).toBeLessThan(100);
    expect(indexed).toEqual(search === undefined ? [] : ["all"]);
  });

  // Seen red: a day behind the last one has a year of five digits, which sorts before all others.
  test("[CTL-19] a search takes every day up to the last one, and refuses days that no month has", async () => {
    await using rig = await openRig(open);
    const { hits } = await longLog(rig, 300);
    expect(hits.length).toBeGreaterThan(0);
    const search = searchOf(rig);
    for (const to of ["9999-12-30", "9999-12-31", "9999-12-31T23:59:59.999Z"])
      expect((await search({ text: "needle", to, limit: 100 })).hits.length).toBe(hits.length);
    expect((await search({ text: "needle", from: "9999-12-31T23:59:59-14:00" })).hits).toEqual([]);
    for (const from of ["2026-02-30", "2026-13-01", "+010000-01-01", "yesterday"])
      await expect(search({ text: "needle", from })).rejects.toMatchObject({ reason: "InvalidQuery" });
  });

  test("[CTL-19] a search reads what an index cannot be made of, and says what cannot be read", async () => {
    await using rig = await openRig(open);
    const { hits } = await longLog(rig, 20);
    const unwritable = new HarnessError("StoreUnwritable", { path: "x", detail: "it is full" });
    const damaged = new HarnessError("StoreCorrupt", { path: "x", detail: "an event is damaged" });
    const store: Rig["store"] = {
      ...closedWith(rig.store, { [Symbol.asyncDispose]: async () => undefined }),
      async markedEvents(logId, since, limit) {
        const page = await rig.store.markedEvents(logId, since, limit);
        if (page.some(({ id }) => id === 3)) throw damaged;
        return page;
      },
      ...(rig.store.search === undefined
        ? {}
        : {
            search: {
              probe: (probe) => rig.store.search?.probe(probe) ?? Promise.resolve([]),
              index: () => Promise.reject(unwritable),
              indexAll: () => Promise.resolve(),
            },
          }),
    };
    const answer = await searchOf({ ...rig, store })({ text: "needle", limit: 100 });
    expect(answer).toMatchObject({ complete: false, searched: { unreadable: 1 } });
    expect(answer.cursor).toBeUndefined();
    expect(answer.hits.map(({ event }) => event)).toEqual([...hits].reverse());
  });
});

/** Adds a log of turns, some of whose prompts have the word; returns the first events of those. */
async function longLog({ store, world, me }: Rig, turns: number) {
  const log = newLog(world);
  await using writer = await store.create(log, me);
  const hits: number[] = [];
  const events = Array.from({ length: turns }, (_, at) => {
    if (at % 10 === 4) hits.push(2 * at + 1);
    const text = at % 10 === 4 ? `a needle in ${at}` : `hay in ${at}`;
    return turn(log.session, 2 * at + 1, { turn: at + 1, text, at: log.createdAt });
  });
  await writer.append({ events: events.flat() }, "process");
  return { hits, log: log.logId };
}
