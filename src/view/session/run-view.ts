import type { CallId, ClientId, SessionId } from "../../base/ids.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf, SessionEndReason, TurnEndReason } from "../../protocol/events/events.ts";
import type { Question } from "../questions/questions.ts";
import { questionsAfter } from "../questions/questions.ts";
import type { OpenCalls } from "./calls.ts";
import { callsAfter, NO_CALLS } from "./calls.ts";
import type { SubAgents } from "./sub-agents.ts";
import { NO_SUB_AGENTS, subAgentsAfter } from "./sub-agents.ts";
import type { KnownTask } from "./tasks.ts";

/** Refused calls of one turn that are kept. */
const REFUSALS_MAX = 1_000;
/** Open questions that are kept. */
const QUESTIONS_MAX = 1_000;

/** One run of a session. Nothing of it outlives the run. */
export interface RunView {
  readonly session: SessionId;
  /** Turn that runs. */
  readonly turn?: { readonly number: number; readonly originator: ClientId };
  /** Reason of the end of the last turn. */
  readonly ended?: TurnEndReason;
  /** Reason why the run ended; absent while it goes on. */
  readonly sessionEnded?: SessionEndReason;
  /** Calls of the newest turn that did not run because nobody had allowed them. */
  readonly refusals: readonly RefusedCall[];
  readonly calls: OpenCalls;
  readonly subAgents: SubAgents;
  /** Questions that wait for an answer, the oldest first. */
  readonly questions: readonly Question[];
  readonly tasks: readonly KnownTask[];
  readonly planMode: boolean;
  /** Rules that people have allowed for this session. */
  readonly rules: readonly string[];
  /** Model as `provider:name`; absent until it was changed. */
  readonly model?: string;
  /** Absent until it was changed. */
  readonly effort?: EffortWord;
  /** Name of the profile; absent until it was changed. */
  readonly profile?: string;
  /** The session that goes on under another profile, once this one was left for it. */
  readonly next?: SessionId;
}

/** A call that was not allowed. */
export interface RefusedCall {
  readonly callId?: CallId;
  /** A person has answered no. */
  readonly isAnswer: boolean;
}

/** Returns the view of a run in which nothing has happened. */
export function newRun(session: SessionId): RunView {
  return {
    session,
    refusals: [],
    calls: NO_CALLS,
    subAgents: NO_SUB_AGENTS,
    questions: [],
    tasks: [],
    planMode: false,
    rules: [],
  };
}

/** Returns a run after one more event as far as sub-agents change it too: calls, questions and the sub-agents themselves. */
export function sharedAfter(run: RunView, envelope: Envelope): RunView {
  const calls = callsAfter(run.calls, envelope);
  const subAgents = subAgentsAfter(run.subAgents, envelope, run.calls);
  const questions = questionsAfter(run.questions, envelope);
  if (calls === run.calls && subAgents === run.subAgents && questions === run.questions) return run;
  return { ...run, calls, subAgents, questions: questions.slice(-QUESTIONS_MAX) };
}

/** Returns a run after the end of a turn. */
export function withTurnEnd(run: RunView, { turn: number, reason }: PayloadOf<"TurnEnded">): RunView {
  const { turn, ...rest } = run;
  return turn?.number === number ? { ...rest, ended: reason } : run;
}

/** Returns a run after a call that was not allowed. */
export function withRefusal(run: RunView, { details = {} }: PayloadOf<"Error">): RunView {
  const { callId, because } = details;
  const refusal = {
    isAnswer: because === "answer",
    ...(typeof callId === "string" ? { callId: callId as CallId } : {}),
  };
  return { ...run, refusals: [...run.refusals.slice(1 - REFUSALS_MAX), refusal] };
}

/** Returns a run under another model or effort. */
export function withModel(run: RunView, { model, effort }: PayloadOf<"ModelChanged">): RunView {
  return { ...run, model, ...(effort === undefined ? {} : { effort }) };
}

/** Returns a run that goes on under another profile, or was left for a session that does. */
export function withProfile(run: RunView, { from, to, next }: PayloadOf<"ProfileSwitched">): RunView {
  return next === undefined ? { ...run, profile: to } : { ...run, profile: from, next };
}
