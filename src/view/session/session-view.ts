import { unreachable } from "../../base/assert.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { shortened } from "../../base/text/text.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf, TodoItem } from "../../protocol/events/events.ts";
import type { SessionCosts } from "../costs/session-costs.ts";
import { NO_SESSION_COSTS, sessionCostsAfter } from "../costs/session-costs.ts";
import { isBesideLog, isMissing, reachedBy } from "../follow.ts";
import { questionId, questionOf } from "../questions/questions.ts";
import { isRefusal } from "../turn-result.ts";
import { withPiece } from "./calls/incoming-calls.ts";
import { callsAfter } from "./calls/open-calls.ts";
import type { KnownClients } from "./clients.ts";
import { clientsAfter, NO_CLIENTS } from "./clients.ts";
import type { MissedEvents } from "./gaps/gaps.ts";
import { missedAfter, showsNoneWaiting } from "./gaps/gaps.ts";
import type { LeftOut, LimitedList } from "./limits.ts";
import { NAME_CHARACTERS_MAX } from "./limits.ts";
import type { UsedMemories } from "./memories.ts";
import { memoriesAfter, NO_MEMORIES } from "./memories.ts";
import type { Notice } from "./notices.ts";
import { noticesAfter } from "./notices.ts";
import { allowsRule, rulesAfter } from "./rules.ts";
import type { RunView } from "./run-view.ts";
import {
  newRun,
  sharedAfter,
  withCompaction,
  withCustom,
  withModel,
  withProfile,
  withRefusal,
  withTurnEnd,
  withUncertainTurn,
} from "./run-view.ts";
import { tasksAfter } from "./tasks.ts";
import type { Turns } from "./turns.ts";
import { NO_TURNS, turnsAfter } from "./turns.ts";
import type { WaitingInput } from "./waiting.ts";
import { waitingAfter } from "./waiting.ts";

/** Entries of one todo list that are kept, and characters of each text in it. */
const TODOS_MAX = 1_000;
const TODO_CHARACTERS_MAX = 4_096;
/** Names of skills that are kept. */
const SKILLS_MAX = 1_000;
/** Paths of one checkpoint that are kept, and characters of each. */
const PATHS_MAX = 1_000;
const PATH_CHARACTERS_MAX = 4_096;

/**
 * A session as its events describe it, for every client. A value: `sessionAfter` returns the next one.
 *
 * Each part has its own fold in this folder. Everything is bounded: old turns are summaries, and lists keep their
 * newest entries. Ids are as long as the protocol says: `readEnvelope` refuses an event with another one. An event that
 * was read before changes nothing, so duplicates, gaps and reconnects do no harm.
 */
export interface SessionView {
  /** The last event that was read. */
  readonly reached: EventSeq;
  /** Title that a person gave; absent: the one made from the first prompt. */
  readonly title?: string;
  /** The run of the last event. A log has several: what runs or waits in one ends with it. */
  readonly run?: RunView;
  readonly turns: Turns;
  /** Clients that its events have named. They outlive a run. */
  readonly clients: KnownClients;
  /** Accepted inputs that have not started. They outlive a run. */
  readonly waiting: readonly WaitingInput[];
  readonly todos: readonly TodoItem[];
  readonly costs: SessionCosts;
  /** Failures and notices, the newest last. */
  readonly notices: readonly Notice[];
  readonly memories: UsedMemories;
  /** The last compaction of the conversation, and the number of all of them. */
  readonly compaction?: Compaction;
  /** Paths that the newest checkpoint cannot restore; "." stands for the whole folder. */
  readonly notRestorable: readonly string[];
  /** Names of the skills; absent until they changed. */
  readonly skills?: readonly string[];
  /** Entries that did not fit into their list. */
  readonly leftOut: LeftOut;
  /** Events that gaps kept from this reader. Absent: none. */
  readonly missed?: MissedEvents;
}

export interface Compaction extends PayloadOf<"CompactionTriggered"> {
  readonly event: EventSeq;
  readonly count: number;
}

export const NEW_SESSION: SessionView = {
  reached: 0,
  turns: NO_TURNS,
  clients: NO_CLIENTS,
  waiting: [],
  todos: [],
  costs: NO_SESSION_COSTS,
  notices: [],
  memories: NO_MEMORIES,
  notRestorable: [],
  leftOut: {},
};

/** The views before and after one event. */
export interface SessionStep {
  readonly before: SessionView;
  readonly after: SessionView;
}

/** Returns the views before and after one more event. */
export function sessionStep(before: SessionView, envelope: Envelope): SessionStep {
  return { before, after: sessionAfter(before, envelope) };
}

/** Returns the view of a session after one more event; the same value for an event that was read before. */
export function sessionAfter(view: SessionView, envelope: Envelope): SessionView {
  if (isBesideLog(envelope)) return withLiveOutput(view, envelope);
  const reached = reachedBy(envelope);
  if (reached <= view.reached) return view;
  const before = runOf(view, envelope.session);
  const run = sharedAfter(before, envelope, view.missed);
  const missed = missedAfter(view, envelope, view.run !== undefined && view.run.session !== envelope.session);
  const next = {
    ...view,
    reached,
    run,
    costs: sessionCostsAfter(view.costs, envelope),
    notices: noticesAfter(view.notices, envelope),
    clients: clientsAfter(view.clients, envelope),
    ...(missed === undefined ? {} : { missed }),
  };
  const after = isMissing(envelope)
    ? afterGap(next, run, envelope)
    : envelope.parentCall === undefined
      ? ownAfter(next, run, { envelope, before: view })
      : next;
  const lists = { run: after.run ?? run, waiting: after.waiting };
  const leftOut = leftOutAfter(view.leftOut, envelope, { run: before, waiting: view.waiting }, lists);
  return leftOut === after.leftOut ? after : { ...after, leftOut };
}

/**
 * Returns the view with what is not in the log: the newest lines of a running command, a piece of the arguments of a
 * call that the model writes, or a question to the people who are there.
 */
function withLiveOutput(view: SessionView, envelope: Envelope): SessionView {
  const { run = newRun(envelope.session) } = view;
  if (run.session !== envelope.session) return view;
  if (envelope.kind === "ToolArgsDelta")
    return { ...view, run: { ...run, incoming: withPiece(run.incoming, envelope) } };
  // A question to the people who are there, such as a code for a token.
  if (envelope.kind === "Asked" || envelope.kind === "Answered")
    return { ...view, run: sharedAfter(run, envelope) };
  if (envelope.kind !== "ToolCallProgress") return view;
  const calls = callsAfter(run.calls, envelope);
  return calls === run.calls ? view : { ...view, run: { ...run, calls } };
}

/**
 * Returns the view of a run, if the session's last event was in it; else that of a run in which nothing has happened.
 */
export function runOf({ run }: SessionView, session: SessionId): RunView {
  return run?.session === session ? run : newRun(session);
}

/** Returns the view after one more event of the session's own agent. A new kind of event is a compile error here. */
function ownAfter(
  view: SessionView,
  run: RunView,
  { envelope, before }: { readonly envelope: Envelope; readonly before: SessionView },
): SessionView {
  switch (envelope.kind) {
    case "TurnStarted": {
      const { turn: number, originator } = envelope.payload;
      return {
        ...view,
        run: { ...run, turn: { number, originator }, refusals: [] },
        turns: turnsAfter(view.turns, envelope),
        waiting: waitingAfterStart(before, envelope),
      };
    }
    case "TurnEnded":
      return {
        ...view,
        run: withTurnEnd(run, envelope.payload, before.missed?.unknown.includes("turn") === true),
        turns: turnsAfter(view.turns, envelope),
      };
    case "SessionEnded":
      return { ...view, run: { ...run, sessionEnded: envelope.payload.reason } };
    case "InputQueued":
    case "InputWithdrawn":
    case "InputEdited":
    case "InputMoved":
      return { ...view, waiting: waitingAfter(view.waiting, envelope) };
    case "CustomEvent":
      return {
        ...view,
        run: withCustom(run, envelope),
        turns: turnsAfter(view.turns, envelope),
        waiting: waitingAfter(view.waiting, envelope),
        memories: memoriesAfter(view.memories, envelope),
      };
    case "TaskChanged":
      return { ...view, run: { ...run, tasks: tasksAfter(run.tasks, envelope) } };
    case "TodoChanged":
      return { ...view, todos: envelope.payload.items.slice(0, TODOS_MAX).map(shortTodo) };
    case "MemoryWritten":
      return { ...view, memories: memoriesAfter(view.memories, envelope) };
    case "CompactionTriggered": {
      const count = (view.compaction?.count ?? 0) + 1;
      return { ...view, compaction: { ...envelope.payload, event: envelope.id, count } };
    }
    case "CompactionProgress":
      return { ...view, run: withCompaction(run, envelope) };
    case "CheckpointMade":
      return { ...view, notRestorable: shortPaths(envelope.payload.notRestorable) };
    case "SkillRegistryChanged":
      return { ...view, skills: shortTexts(envelope.payload.skills, SKILLS_MAX, NAME_CHARACTERS_MAX) };
    case "Error":
      return isRefusal(envelope.payload) ? { ...view, run: withRefusal(run, envelope.payload) } : view;
    case "PermissionAnswered":
    case "RuleRevoked":
      return { ...view, run: { ...run, rules: rulesAfter(run.rules, envelope) } };
    case "ModelChanged":
      return { ...view, run: withModel(run, envelope.payload) };
    case "SessionRenamed":
      return withTitle(view, envelope.payload.title);
    case "LevelChanged":
      return { ...view, run: { ...run, level: envelope.payload.level } };
    case "ProfileSwitched":
      return { ...view, run: withProfile(run, envelope.payload) };
    // Sub-agents have these parts too, so they were folded before: calls, questions, costs, notices.
    case "ToolCallStarted":
    case "ToolCallProgress":
    case "ToolResult":
    case "PermissionRequested":
    case "Asked":
    case "Answered":
    case "CostIncremented":
    case "StreamGap":
    case "HookTimeout":
    case "HookError":
    case "MCPServerDown":
    // Shown as they come: a client that draws text keeps it, and the rest is about one moment.
    case "TextDelta":
    case "ThinkingDelta":
    case "ToolArgsDelta":
    case "TurnTiming":
    case "Cancelled":
    case "TokenExpiring":
    case "RulePromoted":
      return view;
    default:
      return unreachable(envelope);
  }
}

/** Returns the view under a title of a person, or without one. */
function withTitle({ title: _before, ...view }: SessionView, title: string): SessionView {
  return title === "" ? view : { ...view, title: shortened(title, NAME_CHARACTERS_MAX) };
}

/** Returns the inputs that wait after the start of a turn. It may show that those before a gap are gone. */
function waitingAfterStart(before: SessionView, envelope: Envelope): readonly WaitingInput[] {
  const waiting = waitingAfter(before.waiting, envelope);
  if (!showsNoneWaiting(before, envelope)) return waiting;
  const rest = waiting.filter(({ isUncertain }) => isUncertain !== true);
  return rest.length === waiting.length ? waiting : rest;
}

/** Returns the view after a gap. It may hold the end of all that is open, and the start of more. */
function afterGap(view: SessionView, run: RunView, envelope: Envelope): SessionView {
  return {
    ...view,
    run: { ...withUncertainTurn(run), tasks: tasksAfter(run.tasks, envelope) },
    waiting: waitingAfter(view.waiting, envelope),
  };
}

function shortTodo({ content, activeForm, status }: TodoItem): TodoItem {
  const text = activeForm === undefined ? {} : { activeForm: shortened(activeForm, TODO_CHARACTERS_MAX) };
  return { content: shortened(content, TODO_CHARACTERS_MAX), status, ...text };
}

function shortPaths(paths: readonly string[] | undefined): readonly string[] {
  return shortTexts(paths, PATHS_MAX, PATH_CHARACTERS_MAX);
}

function shortTexts(texts: readonly string[] = [], max: number, charactersMax: number): readonly string[] {
  return texts.slice(0, max).map((text) => shortened(text, charactersMax));
}

/** The lists before or after an event. */
interface LimitedLists {
  readonly run: RunView;
  readonly waiting: readonly WaitingInput[];
}

/** Returns the counts after an event, from the lists before and after it; the same value if nothing was left out. */
function leftOutAfter(
  leftOut: LeftOut,
  envelope: Envelope,
  before: LimitedLists,
  after: LimitedLists,
): LeftOut {
  const list = overflowing(envelope, before, after);
  return list === undefined ? leftOut : { ...leftOut, [list]: (leftOut[list] ?? 0) + 1 };
}

/** Returns the list that has as many entries as before although the event adds one. */
function overflowing(envelope: Envelope, before: LimitedLists, after: LimitedLists): LimitedList | undefined {
  const question = questionOf(envelope);
  if (question !== undefined) {
    const isKnown = before.run.questions.some((each) => questionId(each) === questionId(question));
    return !isKnown && after.run.questions.length <= before.run.questions.length ? "questions" : undefined;
  }
  switch (envelope.kind) {
    case "ToolCallStarted": {
      const isKnown = before.run.calls.has(envelope.payload.callId);
      return !isKnown && after.run.calls.size <= before.run.calls.size ? "calls" : undefined;
    }
    case "InputEdited":
      return after.waiting.length < before.waiting.length ? "waiting" : undefined;
    case "InputQueued":
      return after.waiting.length <= before.waiting.length ? "waiting" : undefined;
    case "TaskChanged": {
      const { taskId, state } = envelope.payload;
      const isListed = after.run.tasks.some((task) => task.taskId === taskId);
      return state === "running" && !isListed ? "tasks" : undefined;
    }
    case "PermissionAnswered": {
      const { rule } = envelope.payload;
      const isRule = rule !== undefined && allowsRule(envelope) && !before.run.rules.includes(rule);
      return isRule && after.run.rules.length <= before.run.rules.length ? "rules" : undefined;
    }
    default:
      return undefined;
  }
}
