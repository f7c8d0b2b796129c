import { count, grouped } from "../../base/text/text.ts";
import { cutEnd, displayWidth } from "../terminal/display-width.ts";
import { COLUMNS } from "../terminal/table.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";
import type { Cost } from "./cost.ts";
import { inputTokensOf, PRICE_UNKNOWN, printPrice, printTokens, withBefore } from "./cost.ts";
import type { CostKey, Costs, MissCause } from "./cost-book.ts";
import type { ModelPrices } from "./model-prices.ts";
import { printModelPrice } from "./model-prices.ts";
import type { SpentBefore } from "./session-costs.ts";

const INDENT = "    ";
const TITLES: readonly (readonly [CostKey, string])[] = [
  ["model", "by model"],
  ["purpose", "by purpose"],
  ["tool", "by what was read"],
  ["child", "by agent"],
  ["turn", "by turn"],
];

export interface CostTableOptions {
  /** Rows of one kind, the dearest first; the others are added up in one row. */
  readonly rowsMax: number;
  /** Known prices of the models: each is then shown with its tokens of each kind and its price. */
  readonly prices?: ModelPrices;
}

/** Draws the costs of a session as tables for people, 80 columns wide: one for each kind that has more than one row. */
export function printCosts(costs: Costs, { rowsMax, prices }: CostTableOptions): string {
  const tables = TITLES.flatMap(([key, title]) => {
    const rows = [...costs.by[key]];
    if (key === "model" && prices !== undefined)
      return rows.length > 0 ? [models(rows, rowsMax, prices)] : [];
    return rows.length > 1 ? [table(title, rows, rowsMax)] : [];
  });
  const [price, tokens] = [`${printPrice(costs.total)} this session:`, printTokens(costs.total)];
  const total = price.length + tokens.length < COLUMNS ? `${price} ${tokens}` : `${price}\n  ${tokens}`;
  const together = costs.before === undefined ? [] : [togetherText(costs.total, costs.before)];
  return [total, ...together, ...tables, ...missesText(costs.misses)].join("\n");
}

const MISS_TEXTS: Readonly<Record<MissCause, string>> = {
  model_changed: "the model changed",
  tools_changed: "the tools changed",
  system_changed: "the system text changed",
  effort_changed: "the effort changed",
  history_changed: "the history changed",
  compaction: "after a compaction",
  expired: "a pause of over 5 minutes",
  unknown: "cause unknown",
};

/** Returns the cause of a miss of the prompt cache in words. */
export function missText(cause: MissCause): string {
  return MISS_TEXTS[cause];
}

/** Renders the misses of the prompt cache, by cause, the dearest first. */
function missesText(misses: Costs["misses"]): readonly string[] {
  if (misses.length === 0) return [];
  const causes = Map.groupBy(misses, ({ cause }) => cause);
  const rows = [...causes].map(([cause, each]) => {
    const lost = each.reduce((sum, { lostTokens }) => sum + lostTokens, 0);
    return {
      lost,
      text: `${INDENT}${missText(cause)}: ${grouped(lost)} tokens, ${count(each.length, "call")}`,
    };
  });
  const dearest = rows.toSorted((a, b) => b.lost - a.lost);
  return ["  read again because the prompt cache missed", ...dearest.map(({ text }) => text)];
}

function togetherText(total: Cost, before: SpentBefore): string {
  const cost = withBefore(total, before);
  return `${printPrice(cost)} with the sessions before it: ${grouped(inputTokensOf(cost))} tokens in, ${grouped(cost.outputTokens)} out`;
}

/**
 * Draws a model in a few lines: its cost, its tokens, which are counted once each, and the price of a million of them.
 */
function models(rows: readonly (readonly [string, Cost])[], rowsMax: number, prices: ModelPrices): string {
  const dearest = rows.toSorted(([, a], [, b]) => b.usd - a.usd || tokensOf(b) - tokensOf(a));
  const lines = dearest.slice(0, rowsMax).flatMap(([name, cost]) => {
    const head = `  ${printPrice(cost)}  ${count(cost.calls, "call")}`;
    const price = prices.get(name);
    const isTold = cost.unpricedCalls === cost.calls;
    const rates =
      price === null ? (isTold ? [] : [PRICE_UNKNOWN]) : price === undefined ? [] : printModelPrice(price);
    return [
      `${INDENT}${cutEnd(neutraliseLine(name), COLUMNS - INDENT.length - head.length)}${head}`,
      `${INDENT}  ${tokensText(cost)}`,
      ...rates.map((line) => `${INDENT}  ${line}`),
    ];
  });
  const rest = dearest.length - rowsMax;
  return ["  by model", ...lines, ...(rest > 0 ? [`    and ${grouped(rest)} more`] : [])].join("\n");
}

function tokensText(cost: Cost): string {
  const written = cost.cacheWriteTokens > 0 ? [`${grouped(cost.cacheWriteTokens)} into it`] : [];
  return [
    `${grouped(cost.inputTokens)} tokens in`,
    `${grouped(cost.cacheReadTokens)} from the cache`,
    ...written,
    `${grouped(cost.outputTokens)} out`,
  ].join(", ");
}

function table(title: string, rows: readonly (readonly [string, Cost])[], rowsMax: number): string {
  const dearest = rows.toSorted(([, a], [, b]) => b.usd - a.usd || tokensOf(b) - tokensOf(a));
  const shown = dearest.slice(0, rowsMax);
  const cells = shown.map(([name, cost]) => [
    neutraliseLine(title === "by turn" ? `turn ${name}` : name),
    printPrice(cost),
    `${grouped(tokensOf(cost))} tokens`,
    `${grouped(cost.calls)} ${cost.calls === 1 ? "call" : "calls"}`,
  ]);
  const [nameWidth = 0, ...widths] = [0, 1, 2, 3].map((at) =>
    Math.max(...cells.map((row) => displayWidth(row[at] ?? ""))),
  );
  const figures = widths.reduce((sum, width) => sum + width + 2, 0);
  const room = Math.min(nameWidth, COLUMNS - INDENT.length - figures);
  const lines = cells.map(([name = "", ...rest]) => {
    const label = cutEnd(name, room);
    const padded = rest.map((cell, at) => cell.padStart(widths[at] ?? 0));
    return `${INDENT}${label}${" ".repeat(room - displayWidth(label))}  ${padded.join("  ")}`;
  });
  const rest = dearest.length - shown.length;
  return [`  ${title}`, ...lines, ...(rest > 0 ? [`    and ${grouped(rest)} more`] : [])].join("\n");
}

function tokensOf(cost: Cost): number {
  return inputTokensOf(cost) + cost.outputTokens;
}
