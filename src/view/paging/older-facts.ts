import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { QueryKind } from "../../protocol/kinds.ts";
import type { QueryOf, ResultOf } from "../../protocol/queries/queries.ts";
import type { SessionInfo } from "../../protocol/resources.ts";
import type { SessionView } from "../session/session-view.ts";
import { isTurnEnded, isTurnStarted } from "../turn-marks.ts";
import { withOlderTurns, withRules, withTasks, withTodos } from "./known-facts.ts";

/** Asks an engine; returns its refusal. */
export type EngineQuery = <Kind extends QueryKind>(
  query: QueryOf<Kind>,
) => Promise<ResultOf<Kind> | HarnessError>;

/** A log that was read from the middle. */
export interface ReadTail {
  readonly session: SessionId;
  /** The events that were read. */
  readonly events: readonly Envelope[];
  /** The last event that was not read. */
  readonly since: EventSeq;
}

/** Turns before the part that was read whose summaries are read. */
const OLDER_TURNS = 200;
/** Items before it among which the newest todo list is looked for. */
const OLDER_ITEMS = 500;

/** The start of a turn that runs, and what it has cost so far: US dollars, null if a price is unknown. */
export interface RunningTurn {
  readonly started: Envelope;
  readonly usd: number | null;
}

/** Returns the turn that runs, if it began before the part that was read. */
export async function turnBefore(
  ask: EngineQuery,
  { state = "idle" }: Pick<SessionInfo, "state">,
  { session: sessionId, events }: ReadTail,
): Promise<RunningTurn | undefined> {
  if (state === "idle" || events.some((each) => isTurnStarted(each) || isTurnEnded(each))) return undefined;
  const listed = await ask({ kind: "ListTurns", sessionId, limit: 1 });
  if (listed instanceof HarnessError) return undefined;
  const row = listed.turns.at(-1);
  if (row?.running !== true) return undefined;
  const item = await ask({ kind: "GetItem", sessionId, event: row.first_event });
  if (item instanceof HarnessError) return undefined;
  const started = (item.events as readonly Envelope[]).find((each) => isTurnStarted(each));
  return started === undefined ? undefined : { started, usd: row.cost_usd };
}

/** Calls that run a sub-agent whose start is looked for at once. */
const CALLS_BEFORE_MAX = 8;
/** Items before the read part among which they are looked for. */
const CALL_ITEMS = 200;

/** A call that began before the part that was read, and whose sub-agent has events in it. */
export interface EarlierCall {
  readonly started: Envelope & { readonly kind: "ToolCallStarted" };
  /** Items of its sub-agent in the whole log. */
  readonly children: number;
}

/** Returns the calls whose sub-agents have events in the read part and which began before it, in order. */
export async function callsBefore(
  ask: EngineQuery,
  { session: sessionId, events, since }: ReadTail,
): Promise<readonly EarlierCall[]> {
  const begun = new Set(
    events.flatMap((each) => (each.kind === "ToolCallStarted" ? [each.payload.callId] : [])),
  );
  const parents = new Set(events.flatMap(({ parentCall }) => (parentCall === undefined ? [] : [parentCall])));
  const missing = [...parents].filter((call) => !begun.has(call));
  if (missing.length === 0) return [];
  const page = await ask({ kind: "ListItems", sessionId, before: since + 1, limit: CALL_ITEMS });
  if (page instanceof HarnessError) return [];
  const found = page.items.filter(
    ({ call, kind }) => kind === "call" && call !== undefined && missing.includes(call),
  );
  const calls: EarlierCall[] = [];
  for (const { event, children = 0 } of found.slice(-CALLS_BEFORE_MAX)) {
    const item = await ask({ kind: "GetItem", sessionId, event });
    if (item instanceof HarnessError) continue;
    const started = item.events.find((each) => each.kind === "ToolCallStarted");
    if (started?.kind === "ToolCallStarted") calls.push({ started, children });
  }
  return calls;
}

/**
 * Yields changes that complete the view of a session whose log was read from the middle: the rules, turns, tasks and
 * todos of earlier events. What the engine refuses is left out.
 */
export async function* olderFacts(
  ask: EngineQuery,
  { session: sessionId, events, since }: ReadTail,
): AsyncGenerator<(view: SessionView) => SessionView> {
  const rules = await ask({ kind: "ListRules", sessionId });
  if (!(rules instanceof HarnessError)) yield (view) => withRules(view, rules);
  const first = events.find((each) => isTurnStarted(each));
  const before = first !== undefined && isTurnStarted(first) ? { before: first.payload.turn } : {};
  const listed = await ask({ kind: "ListTurns", sessionId, limit: OLDER_TURNS, ...before });
  if (!(listed instanceof HarnessError)) yield (view) => withOlderTurns(view, listed.turns);
  if (!events.some(({ kind }) => kind === "TodoChanged")) {
    const todos = await todosBefore(ask, sessionId, since);
    if (todos !== undefined) yield (view) => withTodos(view, todos);
  }
  const known = await ask({ kind: "ListTasks", sessionId });
  if (!(known instanceof HarnessError)) yield (view) => withTasks(view, known.tasks);
}

async function todosBefore(ask: EngineQuery, sessionId: SessionId, since: EventSeq) {
  const page = await ask({ kind: "ListItems", sessionId, before: since + 1, limit: OLDER_ITEMS });
  if (page instanceof HarnessError) return undefined;
  const newest = page.items.findLast(({ kind }) => kind === "todos");
  if (newest === undefined) return undefined;
  const item = await ask({ kind: "GetItem", sessionId, event: newest.event });
  if (item instanceof HarnessError) return undefined;
  const changed = (item.events as readonly Envelope[]).findLast(({ kind }) => kind === "TodoChanged");
  return changed?.kind === "TodoChanged" ? changed.payload.items : undefined;
}
