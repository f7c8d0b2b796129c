import type { Cache, CacheBudget } from "../../../base/cache-budget.ts";
import { defined } from "../../../base/defined.ts";
import type { EventSeq, LogId, SessionId } from "../../../base/ids.ts";
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
const PAGE_EVENTS = 64;
/** Bytes of a book in memory, rather too many: of each of its rows, and of the rest. */
const ROW_BYTES = 512;
const BOOK_BYTES = 16_384;

export interface SpendQuerySources {
  readonly store: Pick<SessionStore, "expired" | "markedEvents">;
  readonly caches: Pick<CacheBudget, "open">;
  /** @throws HarnessError Forbidden, UnknownSession. */
  find(id: SessionId, scope: Scope): Promise<LogInfo>;
}

/** Answers what a session has spent, from the events of its log that costs depend on (CTL-19). */
export function spendQuery({
  store,
  caches,
  find,
}: SpendQuerySources): Required<Pick<QueryHandlers, "GetSpend">> {
  const books = new ReadBooks(store, caches);
  return {
    async GetSpend({ sessionId }, { scope = EVERYTHING, signal }) {
      const log = await find(sessionId, scope);
      return await books.read(log, signal, (book) => spendOf(book.costs));
    },
  };
}

/** The costs of a log up to an event. */
interface ReadBook {
  readonly book: CostBook;
  readonly upTo: EventSeq;
  /** Events that had expired when it was read: the names in them must not be shown longer. */
  readonly expired: string;
}

/** Costs of logs that were read: the next query reads the events that came since, not a million again. */
class ReadBooks {
  readonly #store: SpendQuerySources["store"];
  readonly #books: Cache<ReadBook>;

  constructor(store: SpendQuerySources["store"], caches: SpendQuerySources["caches"]) {
    this.#store = store;
    this.#books = caches.open<ReadBook>("session costs", { weigh: bytesOf });
  }

  /** Calls `use` with the costs of a log up to its last event. */
  async read<Result>(
    { logId, lastEvent }: LogInfo,
    signal: AbortSignal,
    use: (book: CostBook) => Result,
  ): Promise<Result> {
    const expired = JSON.stringify(await this.#store.expired(logId));
    const { book, upTo } = this.#taken(logId, { lastEvent, expired });
    let read = upTo;
    try {
      while (read < lastEvent) {
        signal.throwIfAborted();
        const page = await this.#store.markedEvents(logId, read, PAGE_EVENTS, COST_EVENTS);
        for (const event of page) if (event.id <= lastEvent) book.add(event);
        read = page.length < PAGE_EVENTS ? lastEvent : Math.min(lastEvent, page.at(-1)?.id ?? lastEvent);
      }
      return use(book);
    } finally {
      // A query that was ended has read a part: the next one continues there.
      this.#books.set(logId, { book, upTo: read, expired });
    }
  }

  /** Takes a book out of the cache, so that nothing else adds to it; a new one if there is none that fits. */
  #taken(logId: LogId, { lastEvent, expired }: { readonly lastEvent: EventSeq; readonly expired: string }) {
    const known = this.#books.get(logId);
    this.#books.delete(logId);
    if (known !== undefined && known.expired === expired && known.upTo <= lastEvent) return known;
    return { book: new CostBook(), upTo: 0 };
  }
}

function bytesOf({ book, expired }: ReadBook): number {
  const rows = Object.values(book.costs.by).reduce((sum, part) => sum + part.size, book.costs.misses.length);
  return BOOK_BYTES + rows * ROW_BYTES + 2 * expired.length;
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
