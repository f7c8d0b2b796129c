import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { LogInfo } from "../../../session/store/store.ts";
import { spendQuery } from "./spend-query.ts";

const FOLDER = join(import.meta.dir, "../../../../test/data/turns");
const TURNS = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".jsonl"))
  .sort()
  .map((file) => {
    const lines = readFileSync(join(FOLDER, file), "utf8").trim().split("\n");
    return lines.map((line): Envelope => JSON.parse(line));
  });

/** Answers for a log whose store leaves out the kinds that nobody asked for, or returns everything. */
async function spendIn(events: readonly Envelope[], leavesOut: boolean) {
  const { GetSpend } = spendQuery({
    store: {
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
