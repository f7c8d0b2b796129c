import type { Cost } from "../../../view/costs/cost.ts";
import { totalCost } from "../../../view/costs/session-costs.ts";
import type { StatusFacts } from "../../../view/costs/status-facts.ts";
import { windowText } from "../../../view/facts/model-facts.ts";
import type { SessionView } from "../../../view/session/session-view.ts";
import { cutEnd, displayWidth } from "../../../view/terminal/display-width.ts";
import type { DrawnRow, Span } from "../drawing/span.ts";
import { row, span } from "../drawing/span.ts";
import type { OpenSession } from "../options.ts";

/** Facts for a status line. */
export interface StatusLine {
  /** Absent until a session is open. */
  readonly open: OpenSession | undefined;
  readonly view: SessionView;
  readonly facts: StatusFacts;
  /** False while the engine starts. */
  readonly isReached: boolean;
  /** True if it could not be reached. Default: false. */
  readonly hasFailed?: boolean;
  /** True: no costs (`--quiet-cost`). */
  readonly isQuiet: boolean;
  /** Mode of the session; absent: unknown. */
  readonly mode?: string;
  /** Tokens that the model accepts; absent: unknown. */
  readonly contextWindow?: number;
  /** Tokens in the context before this client followed the session; absent: unknown. */
  readonly contextTokens?: number;
  /** Address of the web client; absent: none is served. */
  readonly web?: string;
  /** Model of a session that begins with the next prompt; absent: unknown. */
  readonly nextModel?: string;
}

/** Fields in the order in which a narrow terminal loses them, the first ones first. Others stay. */
const LOST = [
  "queue",
  "context",
  "mode",
  "webText",
  "profile",
  "session",
  "total",
  "web",
  "shares",
  "word",
] as const;
type Field = Exclude<(typeof LOST)[number], "shares" | "word" | "webText"> | "model" | "turn";

interface ShownField {
  readonly name: Field;
  readonly text: string;
  readonly link?: string;
}

const SEPARATOR = " · ";
/** Characters of a session's id that are shown: its end, since sessions of a day begin alike. */
const ID_CHARACTERS = 5;
/** Columns that the name of the model keeps on the narrowest terminal. */
const MODEL_COLUMNS_MIN = 4;

/**
 * Returns the status line ([A] § TUI, TUI-02): session, profile, model, cost of the turn and of the session, address of
 * the web client; behind them mode, context and queue. A narrow terminal loses fields in a fixed order, and never the
 * cost of the turn or the model, whose name is cut at last.
 */
export function drawStatus(line: StatusLine, columns: number): DrawnRow {
  const lost = new Set<string>();
  let fields = fieldsOf(line, lost);
  for (const name of LOST) {
    if (widthOf(fields) <= columns) break;
    lost.add(name);
    fields = fieldsOf(line, lost);
  }
  const spans = withShortModel(fields, columns).flatMap(({ text, link }, at): readonly Span[] => [
    ...(at === 0 ? [] : [span(SEPARATOR, { role: "dim" })]),
    span(text, { role: "dim", ...(link === undefined ? {} : { link }) }),
  ]);
  return row(spans);
}

function widthOf(fields: readonly ShownField[]): number {
  const texts = fields.reduce((sum, { text }) => sum + displayWidth(text), 0);
  return texts + SEPARATOR.length * Math.max(0, fields.length - 1);
}

/** Returns the fields with the name of the model as short as the cost beside it needs. */
function withShortModel(fields: readonly ShownField[], columns: number): readonly ShownField[] {
  const over = widthOf(fields) - columns;
  if (over <= 0) return fields;
  return fields.map((field) => {
    if (field.name !== "model") return field;
    const room = Math.max(MODEL_COLUMNS_MIN, displayWidth(field.text) - over);
    return { ...field, text: cutEnd(field.text, room) };
  });
}

function fieldsOf(line: StatusLine, lost: ReadonlySet<string>): readonly ShownField[] {
  const { open, view, facts, isReached, hasFailed = false, isQuiet, web, mode } = line;
  if (open === undefined && !isReached)
    return [{ name: "model", text: hasFailed ? "no engine" : "starting …" }];
  if (open === undefined) {
    const parts = ["no session yet", line.nextModel, mode].filter((each) => each !== undefined);
    return [{ name: "model", text: parts.join(SEPARATOR) }];
  }
  const { run } = view;
  const queued = view.waiting.length;
  const all: readonly (ShownField | undefined)[] = [
    { name: "session", text: `sess_…${open.session.slice(-ID_CHARACTERS)}` },
    { name: "profile", text: run?.profile ?? open.profile },
    { name: "model", text: run?.model ?? open.model },
    ...(isQuiet ? [] : costFields(view, facts, lost)),
    web === undefined
      ? undefined
      : { name: "web", text: lost.has("webText") ? "web" : `web: ${web}`, link: web },
    mode === undefined ? undefined : { name: "mode", text: mode },
    contextField(line),
    queued === 0 ? undefined : { name: "queue", text: `queue ${queued}` },
  ];
  return all.filter((field) => field !== undefined).filter(({ name }) => !lost.has(name));
}

function costFields(view: SessionView, facts: StatusFacts, lost: ReadonlySet<string>): readonly ShownField[] {
  return [
    { name: "turn", text: turnText(view, facts, lost) },
    { name: "total", text: `${leastDollars(totalCost(view.costs))}/sess` },
  ];
}

/**
 * Returns the cost of a turn, with the share of each provider if it had several (never silently unified). On a narrow
 * terminal their number stands for the shares.
 */
function turnText(view: SessionView, { turn }: StatusFacts, lost: ReadonlySet<string>): string {
  const costs = [...turn.values()];
  // A call that was cut off has no cost of its own; the costs of the turn know of it.
  const isKnown = costs.every((each) => each.isKnown) && view.costs.turn.total.unpricedCalls === 0;
  const isBound = costs.some((each) => each.isKnown || each.usd > 0);
  const sum = costs.reduce((usd, each) => usd + each.usd, 0);
  const whole = `${isKnown ? dollars(sum) : isBound ? `≥${dollars(sum)}` : dollars(undefined)}/turn`;
  if (turn.size < 2) return whole;
  if (lost.has("word")) return `${turn.size}×${whole.startsWith("≥") ? "" : " "}${whole}`;
  if (lost.has("shares")) return `${turn.size} providers ${whole}`;
  const shares = [...turn].map(([name, each]) => `${dollars(each.isKnown ? each.usd : undefined)} ${name}`);
  return `${shares.join(" + ")} = ${whole}`;
}

/** Returns dollars with cents; "$?" for an unknown price. */
function dollars(usd: number | undefined): string {
  return usd === undefined ? "$?" : `$${usd.toFixed(2)}`;
}

/** Returns a cost with cents. With calls of unknown price it is the least that was paid; "$?" if no price is known. */
function leastDollars({ usd, calls, unpricedCalls }: Cost): string {
  if (unpricedCalls === 0) return dollars(usd);
  return calls > unpricedCalls ? `≥${dollars(usd)}` : dollars(undefined);
}

/** Returns the part of the window that is used; of a window that is not known, as of many local models, the tokens. */
function contextField({ facts, contextWindow, contextTokens }: StatusLine): ShownField | undefined {
  const tokens = facts.contextTokens ?? contextTokens;
  if (tokens === undefined) return undefined;
  const isShare = contextWindow !== undefined && contextWindow > 0;
  const size = isShare ? `${Math.round((100 * tokens) / contextWindow)} %` : windowText(tokens);
  return { name: "context", text: `context ${size}` };
}
