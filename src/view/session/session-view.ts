import type { CallId, ClientId, EventSeq, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf, TurnEndReason } from "../../protocol/events/events.ts";
import type { SessionCosts } from "../costs/session-costs.ts";
import { NO_SESSION_COSTS, sessionCostsAfter } from "../costs/session-costs.ts";
import { reachedBy } from "../follow.ts";
import { isRefusal } from "../turn-result.ts";
import type { OpenCalls } from "./calls.ts";
import { callsAfter, NO_CALLS } from "./calls.ts";
import { planModeOf } from "./plan-mode.ts";
import { rulesAfter } from "./rules.ts";
import type { KnownTask } from "./tasks.ts";
import { tasksAfter } from "./tasks.ts";
import type { Turns } from "./turns.ts";
import { NO_TURNS, turnsAfter } from "./turns.ts";
import type { WaitingInput } from "./waiting.ts";
import { waitingAfter } from "./waiting.ts";

/** Refused calls of one turn that are kept. */
const REFUSALS_MAX = 1_000;

/**
 * A session as its events tell it, for every client. A value: `sessionAfter` returns the next one.
 *
 * Each part has its own fold in this folder; a client that needs another part adds a fold and a field. Everything is bounded:
 * old turns are summaries, and lists keep their newest entries.
 */
export interface SessionView {
  /** The last event that was read. Those up to it change nothing, so an event may come twice. */
  readonly reached: EventSeq;
  /** The run of the last event. A log has several: what runs or waits in one ends with it. */
  readonly run?: RunView;
  readonly turns: Turns;
  /** Accepted inputs that have not begun. They outlive a run. */
  readonly waiting: readonly WaitingInput[];
  readonly costs: SessionCosts;
}

/** One run of a session. */
export interface RunView {
  readonly session: SessionId;
  /** The turn that runs. */
  readonly turn?: { readonly number: number; readonly originator: ClientId };
  /** How the last turn ended. */
  readonly ended?: TurnEndReason;
  /** Calls of the newest turn that did not run because nobody had allowed them. */
  readonly refusals: readonly Refusal[];
  readonly calls: OpenCalls;
  readonly tasks: readonly KnownTask[];
  readonly planMode: boolean;
  /** Rules that people have allowed for this session. */
  readonly rules: readonly string[];
  /** As `provider:name`; absent until it was changed. */
  readonly model?: string;
}

/** A call that was not allowed. */
export interface Refusal {
  readonly callId?: CallId;
  /** A person has answered no. */
  readonly isAnswer: boolean;
}

export const NEW_SESSION: SessionView = { reached: 0, turns: NO_TURNS, waiting: [], costs: NO_SESSION_COSTS };

/** Returns the view of a session after one more event; the same value for an event that was read before. */
export function sessionAfter(view: SessionView, envelope: Envelope): SessionView {
  // An event beside the log has the id of the event before it.
  if (envelope.aside === true || envelope.kind === "TokenExpiring") return view;
  const reached = reachedBy(envelope);
  if (reached <= view.reached) return view;
  return {
    reached,
    run: runAfter(view.run, envelope),
    turns: turnsAfter(view.turns, envelope),
    waiting: envelope.parentCall === undefined ? waitingAfter(view.waiting, envelope) : view.waiting,
    costs: sessionCostsAfter(view.costs, envelope),
  };
}

/** Returns the view of a run, if the session's last event was in it; else that of a run in which nothing has happened. */
export function runOf({ run }: SessionView, session: SessionId): RunView {
  return run?.session === session ? run : newRun(session);
}

function newRun(session: SessionId): RunView {
  return { session, refusals: [], calls: NO_CALLS, tasks: [], planMode: false, rules: [] };
}

function runAfter(before: RunView | undefined, envelope: Envelope): RunView {
  const { session } = envelope;
  const old = before?.session === session ? before : newRun(session);
  const calls = callsAfter(old.calls, envelope);
  const run = calls === old.calls ? old : { ...old, calls };
  if (envelope.parentCall !== undefined) return run;
  switch (envelope.kind) {
    case "TurnStarted": {
      const { turn: number, originator } = envelope.payload;
      return { ...run, turn: { number, originator }, refusals: [] };
    }
    case "TurnEnded": {
      const { turn, ...rest } = run;
      return turn?.number === envelope.payload.turn ? { ...rest, ended: envelope.payload.reason } : run;
    }
    case "TaskChanged":
      return { ...run, tasks: tasksAfter(run.tasks, envelope) };
    case "CustomEvent":
      return { ...run, planMode: planModeOf(envelope) ?? run.planMode };
    case "Error":
      return isRefusal(envelope.payload)
        ? { ...run, refusals: refusalsAfter(run.refusals, envelope.payload) }
        : run;
    case "PermissionAnswered":
    case "RuleRevoked":
      return { ...run, rules: rulesAfter(run.rules, envelope) };
    case "ModelChanged":
      return { ...run, model: envelope.payload.model };
    default:
      return run;
  }
}

function refusalsAfter(
  refusals: readonly Refusal[],
  { details = {} }: PayloadOf<"Error">,
): readonly Refusal[] {
  const { callId, because } = details;
  const refusal = {
    isAnswer: because === "answer",
    ...(typeof callId === "string" ? { callId: callId as CallId } : {}),
  };
  return [...refusals.slice(1 - REFUSALS_MAX), refusal];
}
