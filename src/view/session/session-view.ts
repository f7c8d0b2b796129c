import { unreachable } from "../../base/assert.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf, TodoItem } from "../../protocol/events/events.ts";
import type { SessionCosts } from "../costs/session-costs.ts";
import { NO_SESSION_COSTS, sessionCostsAfter } from "../costs/session-costs.ts";
import { isBesideLog, reachedBy } from "../follow.ts";
import { isRefusal } from "../turn-result.ts";
import type { UsedMemories } from "./memories.ts";
import { memoriesAfter, NO_MEMORIES } from "./memories.ts";
import type { Notice } from "./notices.ts";
import { noticesAfter } from "./notices.ts";
import { planModeOf } from "./plan-mode.ts";
import { rulesAfter } from "./rules.ts";
import type { RunView } from "./run-view.ts";
import { newRun, sharedAfter, withModel, withProfile, withRefusal, withTurnEnd } from "./run-view.ts";
import { tasksAfter } from "./tasks.ts";
import type { Turns } from "./turns.ts";
import { NO_TURNS, turnsAfter } from "./turns.ts";
import type { WaitingInput } from "./waiting.ts";
import { waitingAfter } from "./waiting.ts";

/** Entries of one todo list that are kept. */
const TODOS_MAX = 1_000;
/** Names of skills that are kept. */
const SKILLS_MAX = 1_000;
/** Paths of one checkpoint that are kept. */
const PATHS_MAX = 1_000;

/**
 * A session as its events describe it, for every client. A value: `sessionAfter` returns the next one.
 *
 * Each part has its own fold in this folder. Everything is bounded: old turns are summaries, and lists keep their newest
 * entries. An event that was read before changes nothing, so duplicates, gaps and reconnects do no harm.
 */
export interface SessionView {
  /** The last event that was read. */
  readonly reached: EventSeq;
  /** The run of the last event. A log has several: what runs or waits in one ends with it. */
  readonly run?: RunView;
  readonly turns: Turns;
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
}

export interface Compaction extends PayloadOf<"CompactionTriggered"> {
  readonly event: EventSeq;
  readonly count: number;
}

export const NEW_SESSION: SessionView = {
  reached: 0,
  turns: NO_TURNS,
  waiting: [],
  todos: [],
  costs: NO_SESSION_COSTS,
  notices: [],
  memories: NO_MEMORIES,
  notRestorable: [],
};

/** Returns the view of a session after one more event; the same value for an event that was read before. */
export function sessionAfter(view: SessionView, envelope: Envelope): SessionView {
  if (isBesideLog(envelope)) return view;
  const reached = reachedBy(envelope);
  if (reached <= view.reached) return view;
  const run = sharedAfter(runOf(view, envelope.session), envelope);
  const next = {
    ...view,
    reached,
    run,
    costs: sessionCostsAfter(view.costs, envelope),
    notices: noticesAfter(view.notices, envelope),
  };
  return envelope.parentCall === undefined ? ownAfter(next, run, envelope) : next;
}

/** Returns the view of a run, if the session's last event was in it; else that of a run in which nothing has happened. */
export function runOf({ run }: SessionView, session: SessionId): RunView {
  return run?.session === session ? run : newRun(session);
}

/** Returns the view after one more event of the session's own agent. A new kind of event is a compile error here. */
function ownAfter(view: SessionView, run: RunView, envelope: Envelope): SessionView {
  switch (envelope.kind) {
    case "TurnStarted": {
      const { turn: number, originator } = envelope.payload;
      return {
        ...view,
        run: { ...run, turn: { number, originator }, refusals: [] },
        turns: turnsAfter(view.turns, envelope),
        waiting: waitingAfter(view.waiting, envelope),
      };
    }
    case "TurnEnded":
      return { ...view, run: withTurnEnd(run, envelope.payload), turns: turnsAfter(view.turns, envelope) };
    case "SessionEnded":
      return { ...view, run: { ...run, sessionEnded: envelope.payload.reason } };
    case "InputQueued":
    case "InputWithdrawn":
      return { ...view, waiting: waitingAfter(view.waiting, envelope) };
    case "CustomEvent":
      return {
        ...view,
        run: { ...run, planMode: planModeOf(envelope) ?? run.planMode },
        turns: turnsAfter(view.turns, envelope),
        waiting: waitingAfter(view.waiting, envelope),
        memories: memoriesAfter(view.memories, envelope),
      };
    case "TaskChanged":
      return { ...view, run: { ...run, tasks: tasksAfter(run.tasks, envelope) } };
    case "TodoChanged":
      return { ...view, todos: envelope.payload.items.slice(0, TODOS_MAX) };
    case "MemoryWritten":
      return { ...view, memories: memoriesAfter(view.memories, envelope) };
    case "CompactionTriggered": {
      const count = (view.compaction?.count ?? 0) + 1;
      return { ...view, compaction: { ...envelope.payload, event: envelope.id, count } };
    }
    case "CheckpointMade":
      return { ...view, notRestorable: (envelope.payload.notRestorable ?? []).slice(0, PATHS_MAX) };
    case "SkillRegistryChanged":
      return { ...view, skills: envelope.payload.skills.slice(0, SKILLS_MAX) };
    case "Error":
      return isRefusal(envelope.payload) ? { ...view, run: withRefusal(run, envelope.payload) } : view;
    case "PermissionAnswered":
    case "RuleRevoked":
      return { ...view, run: { ...run, rules: rulesAfter(run.rules, envelope) } };
    case "ModelChanged":
      return { ...view, run: withModel(run, envelope.payload) };
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
      return view;
    // Shown as they come: a client that draws text keeps it, and the rest is about one moment.
    case "TextDelta":
    case "ThinkingDelta":
    case "TurnTiming":
    case "Cancelled":
    case "TokenExpiring":
    case "RulePromoted":
      return view;
    default:
      return unreachable(envelope);
  }
}
