import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { BOTH_STORES } from "../../../../../test/support/both-stores.ts";
import { holds } from "../../../../../test/support/property.ts";
import type { SearchedFor } from "../../../../../test/support/search-model.ts";
import { SearchModel, searchedFor, searchSteps } from "../../../../../test/support/search-model.ts";
import type { Rig } from "../../../../../test/support/store-rig.ts";
import { openRig } from "../../../../../test/support/store-rig.ts";
import { HarnessError } from "../../../../base/errors.ts";
import type { QueryOf, ResultOf } from "../../../../protocol/queries/queries.ts";
import type { QueryContext } from "../../../../session/commands/query-handlers.ts";
import { searchQueries } from "./search-queries.ts";

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
});
