import { defined } from "../../../base/defined.ts";
import type { SessionId } from "../../../base/ids.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import type { Scope } from "../../../session/access/scope.ts";
import { EVERYTHING } from "../../../session/access/scope.ts";
import type { QueryHandlers } from "../../../session/commands/query-handlers.ts";
import type { LogInfo, SessionStore } from "../../../session/store/store.ts";
import type { Cost } from "../../../view/costs/cost.ts";
import { dollars, priceOf, tokenUsage } from "../../../view/costs/cost.ts";
import type { Costs } from "../../../view/costs/cost-book.ts";
import { COST_EVENTS, CostBook, EARLIER_ROW, UNKNOWN_MODEL_ROW } from "../../../view/costs/cost-book.ts";
import { agentRowOf, readRowOf } from "../../../view/costs/cost-rows.ts";

/** Events read from the log at a time. */
const PAGE_EVENTS = 512;

export interface SpendQuerySources {
  readonly store: Pick<SessionStore, "markedEvents">;
  /** @throws HarnessError Forbidden, UnknownSession. */
  find(id: SessionId, scope: Scope): Promise<LogInfo>;
}

/** Answers what a session has spent, from the events of its log that costs depend on (CTL-19). */
export function spendQuery({ store, find }: SpendQuerySources): Required<Pick<QueryHandlers, "GetSpend">> {
  return {
    async GetSpend({ sessionId }, { scope = EVERYTHING, signal }) {
      const log = await find(sessionId, scope);
      return spendOf((await readCosts(store, log, signal)).costs);
    },
  };
}

async function readCosts(
  store: SpendQuerySources["store"],
  { logId, lastEvent }: LogInfo,
  signal: AbortSignal,
): Promise<CostBook> {
  const book = new CostBook();
  for (let last = 0; last < lastEvent; ) {
    signal.throwIfAborted();
    const page = await store.markedEvents(logId, last, PAGE_EVENTS, COST_EVENTS);
    for (const event of page) if (event.id <= lastEvent) book.add(event);
    last = page.length < PAGE_EVENTS ? lastEvent : (page.at(-1)?.id ?? lastEvent);
  }
  return book;
}

function spendOf({ total, by, misses, before }: Costs): ResultOf<"GetSpend"> {
  return {
    total: spendInfo(total),
    turns: rows(by.turn, (turn) => (turn === EARLIER_ROW ? {} : { turn: Number(turn) })),
    models: rows(by.model, (model) =>
      model === UNKNOWN_MODEL_ROW || model === EARLIER_ROW ? {} : { model },
    ),
    agents: rows(by.child, agentRowOf),
    reads: rows(by.tool, readRowOf),
    cache_misses: misses.map(({ event, turn, model, cause, lostTokens }) => ({
      ...{ event, turn: Number(turn), model, cause },
      lost_tokens: lostTokens,
    })),
    ...defined({
      before: before && {
        known_cost_usd: dollars(before.usd),
        unpriced_calls: before.unknownCalls,
        input_tokens: before.inputTokens,
        output_tokens: before.outputTokens,
      },
    }),
  };
}

function rows<Facts extends object>(costs: ReadonlyMap<string, Cost>, factsOf: (name: string) => Facts) {
  return [...costs].map(([name, cost]) => ({
    ...factsOf(name),
    ...(name === EARLIER_ROW ? { earlier: true as const } : {}),
    ...spendInfo(cost),
  }));
}

function spendInfo(cost: Cost): ResultOf<"GetSpend">["total"] {
  return { ...tokenUsage(cost), cost_usd: priceOf(cost), known_cost_usd: dollars(cost.usd) };
}
