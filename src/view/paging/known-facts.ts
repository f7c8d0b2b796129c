import type { EventSeq } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { SessionInfo, TaskInfo } from "../../protocol/resources.ts";
import type { Cost } from "../costs/cost.ts";
import { NO_COST } from "../costs/cost.ts";
import { NAME_CHARACTERS_MAX } from "../session/limits.ts";
import type { SessionView } from "../session/session-view.ts";
import type { KnownTask } from "../session/tasks.ts";
import type { TurnSummary } from "../session/turns.ts";
import { shortWords } from "../session/turns.ts";

/**
 * Adds facts of earlier events to the view of a session whose log was read from the middle. What an event of the read
 * part has said stays.
 */
export function withInfo(view: SessionView, info: SessionInfo): SessionView {
  const { run } = view;
  const title = info.renamed === true ? { title: shortened(info.title, NAME_CHARACTERS_MAX) } : {};
  const queued = (info.queued ?? 0) - view.waiting.length;
  const before = view.leftOut.waiting ?? 0;
  const spent = costOf(info);
  return {
    ...title,
    ...view,
    ...(run === undefined
      ? {}
      : { run: { ...levelOf(info), ...run, planMode: info.plan_mode ?? run.planMode } }),
    ...(queued > before ? { leftOut: { ...view.leftOut, waiting: queued } } : {}),
    costs: spent === undefined ? view.costs : { ...view.costs, earlier: rest(spent, view.costs.turn.total) },
  };
}

/** Adds the costs of the turn that runs, of which only the end was read. */
export function withTurnCost(view: SessionView, usd: number | null): SessionView {
  const { total } = view.costs.turn;
  const known =
    usd === null ? { ...total, unpricedCalls: Math.max(1, total.unpricedCalls) } : { ...total, usd };
  return { ...view, costs: { ...view.costs, turn: { ...view.costs.turn, total: known } } };
}

/** Adds rules that people have allowed for the run before the part that was read. */
export function withRules(view: SessionView, { rules }: ResultOf<"ListRules">): SessionView {
  const { run } = view;
  if (run === undefined) return view;
  const named = (from: string) => rules.filter(({ source }) => source === from).map(({ rule }) => rule);
  const opened = named("flag");
  return {
    ...view,
    run: { ...(opened.length === 0 ? {} : { openedWith: opened }), ...run, rules: named("session") },
  };
}

/** Adds tasks that began before the part that was read. */
export function withTasks(view: SessionView, tasks: readonly TaskInfo[]): SessionView {
  const { run } = view;
  if (run === undefined) return view;
  const known = new Set(run.tasks.map(({ taskId }) => taskId));
  const running = tasks.filter(({ task, state }) => state === "running" && !known.has(task));
  if (running.length === 0) return view;
  return { ...view, run: { ...run, tasks: [...running.map(taskOf), ...run.tasks] } };
}

/** Adds the todos of an earlier event. */
export function withTodos(view: SessionView, todos: PayloadOf<"TodoChanged">["items"]): SessionView {
  return view.todos.length > 0 ? view : { ...view, todos };
}

/** Adds summaries of the turns before the part that was read. */
export function withOlderTurns(view: SessionView, rows: ResultOf<"ListTurns">["turns"]): SessionView {
  const { turns } = view;
  const first = turns.all[0]?.event ?? Number.MAX_SAFE_INTEGER;
  let before: EventSeq = 0;
  const older = rows
    .filter(({ first_event }) => first_event < first)
    .map((row): TurnSummary => {
      const summary = { turn: row.turn, event: row.first_event, words: shortWords(row.prompt), before };
      before = row.first_event;
      return row.running === true || row.cut === true ? summary : { ...summary, ended: row.last_event };
    });
  if (older.length === 0) return view;
  const [next, ...others] = turns.all;
  const linked = next === undefined ? [] : [{ ...next, before: next.before === 0 ? before : next.before }];
  const head = turns.head === 0 ? before : turns.head;
  return { ...view, turns: { ...turns, all: [...older, ...linked, ...others], head } };
}

function levelOf({ level }: SessionInfo): { readonly level?: NonNullable<SessionInfo["level"]> } {
  return level === undefined ? {} : { level };
}

function taskOf({ task: taskId, what, state, detail }: TaskInfo): KnownTask {
  return { taskId, what, state, ...(detail === undefined ? {} : { detail }) };
}

/** Returns all costs of a session; undefined if they are not known. An unknown price counts as one call. */
function costOf(info: SessionInfo): Cost | undefined {
  const { cost_usd: usd } = info;
  if (usd === undefined) return undefined;
  return {
    ...NO_COST,
    usd: usd ?? 0,
    unpricedCalls: usd === null ? 1 : 0,
    inputTokens: info.input_tokens ?? 0,
    outputTokens: info.output_tokens ?? 0,
    cacheReadTokens: info.cache_read_tokens ?? 0,
    cacheWriteTokens: info.cache_write_tokens ?? 0,
  };
}

function rest(all: Cost, part: Cost): Cost {
  const less = (field: keyof Cost) => Math.max(0, all[field] - part[field]);
  return {
    usd: less("usd"),
    calls: less("calls"),
    unpricedCalls: less("unpricedCalls"),
    inputTokens: less("inputTokens"),
    outputTokens: less("outputTokens"),
    cacheReadTokens: less("cacheReadTokens"),
    cacheWriteTokens: less("cacheWriteTokens"),
  };
}
