import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CacheBudget } from "../../../base/cache-budget.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { EventRange, LogInfo } from "../../../session/store/store.ts";
import { spendQuery } from "./spend-query.ts";

const FOLDER = join(import.meta.dir, "../../../../test/data/turns");
const TURNS = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".jsonl"))
  .sort()
  .map((file) => {
    const lines = readFileSync(join(FOLDER, file), "utf8").trim().split("\n");
    return lines.map((line): Envelope => JSON.parse(line));
  });

test("[CTL-19] costs are read once: the next query reads what came since, and all again once content has expired", async () => {
  const all = TURNS.reduce((longest, events) => (events.length > longest.length ? events : longest), []);
  let expired: readonly EventRange[] = [];
  let last = Math.floor(all.length / 2);
  const read: number[] = [];
  const sources = {
    store: {
      expired: async () => expired,
      async markedEvents(_log: unknown, since: number, limit: number) {
        const page = all.filter(({ id }) => id > since && id <= last).slice(0, limit);
        read.push(...page.map(({ id }) => id));
        return page;
      },
    },
    find: async () => ({ logId: "log_1", lastEvent: last }) as unknown as LogInfo,
  };
  const asking = { identityClass: "human", signal: new AbortController().signal } as const;
  const query = { kind: "GetSpend", sessionId: all[0]?.session as never } as const;
  const { GetSpend } = spendQuery({ ...sources, caches: new CacheBudget() });
  await GetSpend(query, asking);
  const ended = { ...asking, signal: AbortSignal.abort(new Error("left")) };
  last = all.at(-1)?.id ?? 0;
  await expect(GetSpend(query, ended)).rejects.toThrow("left");
  const spend = await GetSpend(query, asking);
  expect(read).toEqual(all.map(({ id }) => id));
  expect(await spendQuery({ ...sources, caches: new CacheBudget() }).GetSpend(query, asking)).toEqual(spend);
  read.length = 0;
  expect(await GetSpend(query, asking)).toEqual(spend);
  expect(read).toEqual([]);
  expired = [{ from: 1, to: 2 }];
  await GetSpend(query, asking);
  expect(read).toEqual(all.map(({ id }) => id));
});

/** Answers for a log whose store leaves out the kinds that nobody asked for, or returns everything. */
async function spendIn(events: readonly Envelope[], leavesOut: boolean) {
  const { GetSpend } = spendQuery({
    caches: new CacheBudget(),
    store: {
      expired: async () => [],
      async markedEvents(_log, since, limit, kinds) {
        const isWanted = ({ kind }: Envelope) => !leavesOut || kinds === undefined || kinds.includes(kind);
        return events.filter((event) => event.id > since && isWanted(event)).slice(0, limit);
      },
    },
    find: async () => ({ logId: "log_1", lastEvent: events.at(-1)?.id ?? 0 }) as unknown as LogInfo,
  });
  const asking = { identityClass: "human", signal: new AbortController().signal } as const;
  return await GetSpend({ kind: "GetSpend", sessionId: events[0]?.session as never }, asking);
}

test("[CTL-19] the rows of each kind add up to the total, whether a store leaves other kinds out or not", async () => {
  for (const events of TURNS) {
    const spend = await spendIn(events, true);
    expect(await spendIn(events, false)).toEqual(spend);
    const { total, turns, models, agents, reads } = spend;
    for (const rows of [turns, models, agents, reads])
      for (const key of ["calls", "input_tokens", "output_tokens", "cache_read_tokens"] as const)
        expect(rows.reduce((sum, row) => sum + row[key], 0)).toBe(total[key]);
  }
});
