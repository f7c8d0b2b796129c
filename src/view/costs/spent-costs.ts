import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { Cost } from "./cost.ts";
import { NO_COST } from "./cost.ts";
import type { Costs } from "./cost-book.ts";
import {
  EARLIER_ROW,
  OWN_ROW,
  PROMPT_ROW,
  SUMMARY_ROW,
  TOOLS_JOINED_BY,
  UNKNOWN_MODEL_ROW,
} from "./cost-book.ts";

type Spend = ResultOf<"GetSpend">;
type SpendRow = Spend["total"];

/** Returns the costs of a session from the engine's answer about them, for a client that has not read all events. */
export function spentCosts({ total, turns, models, agents, reads, cache_misses, before }: Spend): Costs {
  const summaries = reads.filter(({ summary }) => summary === true);
  return {
    total: costOf(total),
    by: {
      turn: rows(turns, ({ turn }) => String(turn ?? 0)),
      model: rows(models, ({ model }) => model ?? UNKNOWN_MODEL_ROW),
      purpose: new Map(summaries.map((row) => [SUMMARY_ROW, costOf(row)])),
      tool: rows(reads, readOf),
      child: rows(agents, ({ call, tool = "sub-agent" }) =>
        call === undefined ? OWN_ROW : `${tool} ${call}`,
      ),
    },
    misses: cache_misses.map(({ event, turn, model, cause, lost_tokens: lostTokens }) => ({
      ...{ event, turn: String(turn), model, cause, lostTokens },
    })),
    ...(before === undefined
      ? {}
      : {
          before: {
            usd: before.known_cost_usd,
            unknownCalls: before.unpriced_calls,
            inputTokens: before.input_tokens,
            outputTokens: before.output_tokens,
          },
        }),
  };
}

function readOf({ tools, prompt, summary }: Spend["reads"][number]): string {
  if (summary === true) return SUMMARY_ROW;
  const names = [...tools, ...(prompt === true && tools.length > 0 ? [PROMPT_ROW] : [])];
  return names.length === 0 ? PROMPT_ROW : names.sort().join(TOOLS_JOINED_BY);
}

function rows<Row extends SpendRow & { readonly earlier?: true | undefined }>(
  spent: readonly Row[],
  nameOf: (row: Row) => string,
): ReadonlyMap<string, Cost> {
  return new Map(spent.map((row) => [row.earlier === true ? EARLIER_ROW : nameOf(row), costOf(row)]));
}

function costOf(row: SpendRow): Cost {
  const { calls, known_cost_usd: usd, cost_usd: price } = row;
  // The answer says that a price is unknown, and not of how many calls.
  const unpricedCalls = price === null ? (usd === 0 ? calls : 1) : 0;
  return {
    ...NO_COST,
    ...{ usd, calls, unpricedCalls },
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cacheReadTokens: row.cache_read_tokens,
    cacheWriteTokens: row.cache_write_tokens,
  };
}
