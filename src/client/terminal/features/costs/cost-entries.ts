import { unreachable } from "../../../../base/assert.ts";
import { printUsd } from "../../../../base/text/money.ts";
import { count, grouped } from "../../../../base/text/text.ts";
import type { ResultOf } from "../../../../protocol/queries/queries.ts";
import { missText } from "../../../../view/costs/cost-table.ts";
import type { ListCell, ListColumn, PanelEntry } from "../../panels/list-entry.ts";

type Spend = ResultOf<"GetSpend">;
type Figures = Omit<Spend["turns"][number], "turn">;

/** One of the tables of the costs of a session. */
export const COST_TABLES = ["turns", "models", "agents", "reads", "misses"] as const;
export type CostTable = (typeof COST_TABLES)[number];

export const TABLE_WORDS: Readonly<Record<CostTable, string>> = {
  turns: "by turn",
  models: "by model",
  agents: "by agent",
  reads: "by what was read",
  misses: "cache misses",
};

const FIGURE_COLUMNS: readonly ListColumn[] = [
  { name: "cost" },
  { name: "in" },
  { name: "cached" },
  { name: "out" },
  { name: "calls" },
];
const MISS_COLUMNS: readonly ListColumn[] = [{ name: "tokens read again" }, { name: "turn" }];

/** Returns the columns of a table. */
export function costColumns(table: CostTable): readonly ListColumn[] {
  return table === "misses" ? MISS_COLUMNS : FIGURE_COLUMNS;
}

/**
 * Returns the rows of a table, the dearest first; those of turns the newest first.
 *
 * @param prompts first words of the prompts, by turn.
 */
export function costEntries(
  spend: Spend,
  table: CostTable,
  prompts: ReadonlyMap<number, string>,
): readonly PanelEntry<string>[] {
  switch (table) {
    case "turns":
      return spend.turns.toReversed().map((each) => figureEntry(turnName(each, prompts), each));
    case "models":
      return dearest(spend.models).map((each) =>
        figureEntry(each.earlier === true ? "earlier ones" : (each.model ?? "no model named"), each),
      );
    case "agents":
      return dearest(spend.agents).map((each) => figureEntry(agentName(each), each));
    case "reads":
      return dearest(spend.reads).map((each) => figureEntry(readName(each), each));
    case "misses":
      return spend.cache_misses.toReversed().map(({ event, turn, model, cause, lost_tokens: lost }) => ({
        value: `e${event}`,
        label: missText(cause),
        detail: model,
        cells: [{ text: grouped(lost), role: "warning" }, { text: turn === 0 ? "-" : String(turn) }],
      }));
    default:
      return unreachable(table);
  }
}

/** Returns the sum in words: "$0.1234 this session · 12 calls · 40,000 in, 3,000 out". */
export function totalText({ total, before }: Spend): string {
  const earlier =
    before === undefined
      ? []
      : [
          `with the sessions before it: ${before.unpriced_calls > 0 || total.cost_usd === null ? "at least " : ""}$${printUsd(before.known_cost_usd + total.known_cost_usd)}`,
        ];
  return [
    `${costText(total)} this session`,
    ...earlier,
    count(total.calls, "call"),
    `${grouped(inputTokens(total))} tokens in, ${grouped(total.output_tokens)} out`,
  ].join(" · ");
}

function figureEntry(label: string, figures: Figures): PanelEntry<string> {
  return { value: label, label, cells: figureCells(figures) };
}

function figureCells(figures: Figures): readonly ListCell[] {
  const { cost_usd: usd, cache_read_tokens: cached, output_tokens: output, calls } = figures;
  return [
    { text: costText(figures), role: usd === null ? "warning" : "text" },
    { text: grouped(inputTokens(figures)) },
    { text: shareText(cached, inputTokens(figures)) },
    { text: grouped(output) },
    { text: grouped(calls) },
  ];
}

function costText({
  cost_usd: usd,
  known_cost_usd: known,
}: Pick<Figures, "cost_usd" | "known_cost_usd">): string {
  if (usd !== null) return `$${printUsd(usd)}`;
  return known === 0 ? "?" : `≥$${printUsd(known)}`;
}

function shareText(part: number, whole: number): string {
  return whole === 0 ? "" : `${Math.round((part / whole) * 100)}%`;
}

function inputTokens(figures: Figures): number {
  return figures.input_tokens + figures.cache_read_tokens + figures.cache_write_tokens;
}

function dearest<Row extends Figures>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted(
    (one, other) => other.known_cost_usd - one.known_cost_usd || inputTokens(other) - inputTokens(one),
  );
}

function turnName({ turn, earlier }: Spend["turns"][number], prompts: ReadonlyMap<number, string>): string {
  if (earlier === true || turn === undefined) return "earlier turns";
  if (turn === 0) return "outside of turns";
  const prompt = prompts.get(turn);
  return prompt === undefined ? `turn ${turn}` : `turn ${turn}: ${prompt}`;
}

function agentName({ call, tool, earlier }: Spend["agents"][number]): string {
  if (earlier === true) return "earlier ones";
  return call === undefined ? "the session itself" : `${tool ?? "sub-agent"} ${call}`;
}

function readName({ tools, prompt, summary, earlier }: Spend["reads"][number]): string {
  if (earlier === true) return "earlier ones";
  if (summary === true) return "summaries of the history";
  const names = [...(prompt === true ? ["the prompt"] : []), ...tools.map((tool) => `results of ${tool}`)];
  return names.length === 0 ? "the prompt" : names.join(" + ");
}
