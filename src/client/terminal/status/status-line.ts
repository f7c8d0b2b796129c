import { PRICE_UNKNOWN, priceOf } from "../../../view/costs/cost.ts";
import { totalCost } from "../../../view/costs/session-costs.ts";
import type { SessionView } from "../../../view/session/session-view.ts";
import { displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { OpenSession } from "../options.ts";
import type { StatusFacts } from "./status-facts.ts";

/** Facts for a status line. */
export interface StatusLine {
  /** Absent until a session is open. */
  readonly open: OpenSession | undefined;
  readonly view: SessionView;
  readonly facts: StatusFacts;
  /** False while the engine starts. */
  readonly isReached: boolean;
  /** True: no costs (`--quiet-cost`). */
  readonly isQuiet: boolean;
  /** Tokens that the model accepts; absent: unknown. */
  readonly contextWindow?: number;
  /** Address of the web client; absent: none is served. */
  readonly web?: string;
}

/** Fields in the order in which a narrow terminal loses them, the first ones first. Others stay. */
const LOST = ["queue", "context", "mode", "webText", "profile", "session", "total"] as const;
type Field = (typeof LOST)[number] | "model" | "turn" | "web";

interface ShownField {
  readonly name: Field;
  readonly text: string;
  readonly link?: string;
}

const SEPARATOR = " · ";
/** Characters of a session's id that are shown. */
const ID_CHARACTERS = 10;

/**
 * Returns the status line ([A] § TUI, TUI-02): session, profile, model, cost of the turn and of the session, address of
 * the web client; behind them mode, context and queue. A narrow terminal loses fields in a fixed order, and never the
 * cost of the turn or the model.
 */
export function drawStatus(line: StatusLine, columns: number): DrawnRow {
  let fields = fieldsOf(line);
  for (const name of LOST) {
    if (widthOf(fields) <= columns) break;
    fields = fields.filter((field) => field.name !== name);
  }
  const spans = fields.flatMap(({ text, link }, at): readonly Span[] => [
    ...(at === 0 ? [] : [span(SEPARATOR, { role: "dim" })]),
    span(text, { role: "dim", ...(link === undefined ? {} : { link }) }),
  ]);
  return row(spans);
}

function widthOf(fields: readonly ShownField[]): number {
  const texts = fields.reduce((sum, { text }) => sum + displayWidth(text), 0);
  return texts + SEPARATOR.length * Math.max(0, fields.length - 1);
}

function fieldsOf(line: StatusLine): readonly ShownField[] {
  const { open, view, facts, isReached, isQuiet, web } = line;
  if (open === undefined) return [{ name: "model", text: isReached ? "no session yet" : "starting …" }];
  const { run } = view;
  return [
    { name: "session", text: `${open.session.slice(0, ID_CHARACTERS)}…` },
    { name: "profile", text: run?.profile ?? open.profile },
    { name: "model", text: run?.model ?? open.model },
    ...(isQuiet ? [] : costFields(view, facts)),
    ...(web === undefined
      ? []
      : [
          { name: "web", text: "web", link: web } as const,
          { name: "webText", text: web, link: web } as const,
        ]),
    ...(run?.planMode === true ? [{ name: "mode", text: "plan" } as const] : []),
    ...contextField(line),
    ...(view.waiting.length === 0 ? [] : [{ name: "queue", text: `queue ${view.waiting.length}` } as const]),
  ];
}

function costFields(view: SessionView, { turn }: StatusFacts): readonly ShownField[] {
  const total = totalCost(view.costs);
  const price = priceOf(total);
  const session = price === null ? PRICE_UNKNOWN : `${dollars(price)}/sess`;
  return [
    { name: "turn", text: turnText(turn) },
    { name: "total", text: session },
  ];
}

/** Returns the cost of a turn, with the share of each provider if it had several (never silently unified). */
function turnText(turn: StatusFacts["turn"]): string {
  const costs = [...turn.values()];
  const sum = costs.reduce((usd, each) => usd + each.usd, 0);
  const whole = costs.every(({ isKnown }) => isKnown) ? `${dollars(sum)}/turn` : `${PRICE_UNKNOWN}/turn`;
  if (turn.size < 2) return whole;
  const shares = [...turn].map(([name, { usd, isKnown }]) => `${isKnown ? dollars(usd) : "$?"} ${name}`);
  return `${shares.join(" + ")} = ${whole}`;
}

/** Returns dollars with cents; below a cent with the digits that count. */
function dollars(usd: number): string {
  const digits = usd > 0 && usd < 0.005 ? 4 : 2;
  return `$${usd.toFixed(digits)}`;
}

function contextField({ facts, contextWindow }: StatusLine): readonly ShownField[] {
  const { contextTokens } = facts;
  if (contextTokens === undefined || contextWindow === undefined || contextWindow === 0) return [];
  return [{ name: "context", text: `context ${Math.round((100 * contextTokens) / contextWindow)} %` }];
}
