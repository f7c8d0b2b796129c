import { defined } from "../../base/defined.ts";
import type { CallId, ClientId, EventSeq, SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { jsonCharacters } from "../../base/json.ts";
import { head, shortened } from "../../base/text/text.ts";
import type { EffortWord } from "../../protocol/effort.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import type { PayloadOf, SessionEndReason, TurnEndReason } from "../../protocol/events/events.ts";
import type { Question } from "../questions/questions.ts";
import { questionsAfter } from "../questions/questions.ts";
import type { IncomingCalls } from "./calls/incoming-calls.ts";
import { incomingCallsAfter, NO_INCOMING } from "./calls/incoming-calls.ts";
import type { OpenCalls } from "./calls/open-calls.ts";
import { callsAfter, NO_CALLS } from "./calls/open-calls.ts";
import type { MissedEvents } from "./gaps/gaps.ts";
import type { UncertainEntry } from "./gaps/uncertain.ts";
import { NAME_CHARACTERS_MAX, shortenedJson } from "./limits.ts";
import { planModeOf } from "./plan-mode.ts";
import { foldersOpenedWith, rulesOpenedWith } from "./rules.ts";
import type { SubAgents } from "./sub-agents.ts";
import { NO_SUB_AGENTS, subAgentsAfter } from "./sub-agents.ts";
import type { KnownTask } from "./tasks.ts";

/** Refused calls of one turn that are kept. */
const REFUSALS_MAX = 1_000;
/** Characters of an open question that is kept whole. */
const QUESTION_CHARACTERS_MAX = 262_144;
/** Characters that are kept of the arguments, the change and the details of a longer one. */
const SHORTENED_CHARACTERS_MAX = 65_536;

/** One run of a session. Nothing of it outlives the run. */
export interface RunView {
  readonly session: SessionId;
  /** Turn that runs. */
  readonly turn?: { readonly number: number; readonly originator: ClientId } & UncertainEntry;
  /** The summary that a model is writing for a compaction; absent while none is. */
  readonly compacting?: CompactionInProgress;
  /** Reason of the end of the last turn. */
  readonly ended?: TurnEndReason;
  /** Reason why the run ended; absent while it runs. */
  readonly sessionEnded?: SessionEndReason;
  /** Calls of the newest turn that did not run because nobody had allowed them. */
  readonly refusals: readonly RefusedCall[];
  readonly calls: OpenCalls;
  /** Calls that the model writes and that have not begun. */
  readonly incoming: IncomingCalls;
  readonly subAgents: SubAgents;
  /** Questions that wait for an answer, the oldest first. */
  readonly questions: readonly Question[];
  readonly tasks: readonly KnownTask[];
  readonly planMode: boolean;
  /** Rules that people have allowed for this session. */
  readonly rules: readonly string[];
  /** Rules that it was opened with (`--allow`); absent for none. */
  readonly openedWith?: readonly string[];
  /** Folders that were added to its workspace (`--add-dir`); absent for none. */
  readonly folders?: readonly string[];
  /** Model as `provider:name`; absent until it was changed. */
  readonly model?: string;
  /** Absent until it was changed. */
  readonly effort?: EffortWord;
  /** Absent until it was changed. */
  readonly level?: PayloadOf<"LevelChanged">["level"];
  /** Name of the profile; absent until it was changed. */
  readonly profile?: string;
  /** The session that continues under another profile, once this one was left for it. */
  readonly next?: SessionId;
}

/** A compaction that waits for its summary. */
export interface CompactionInProgress {
  readonly event: EventSeq;
  /** Time of its start, as the event has it. */
  readonly since: string;
  readonly beforeTokens: number;
  readonly timeoutMs: number;
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
    incoming: NO_INCOMING,
    subAgents: NO_SUB_AGENTS,
    questions: [],
    tasks: [],
    planMode: false,
    rules: [],
  };
}

/**
 * Returns a run after one more event as far as sub-agents change it too: calls, questions and the
 * sub-agents themselves.
 * @param missed events that were missed before it.
 */
export function sharedAfter(run: RunView, envelope: Envelope, missed?: MissedEvents): RunView {
  const calls = callsAfter(run.calls, envelope);
  const incoming = incomingCallsAfter(run.incoming, envelope);
  const subAgents = subAgentsAfter(run.subAgents, envelope, {
    calls: run.calls,
    isUnknown: missed !== undefined,
  });
  const questions = questionsAfter(run.questions, envelope, { keep: shortQuestion });
  const isSame = calls === run.calls && incoming === run.incoming;
  if (isSame && subAgents === run.subAgents && questions === run.questions) return run;
  return { ...run, calls, incoming, subAgents, questions };
}

/**
 * Returns a run after the end of a turn.
 * @param isUnknown the running turn is unknown: it is the one that ends here, whatever its number.
 */
export function withTurnEnd(
  run: RunView,
  { turn: number, reason }: PayloadOf<"TurnEnded">,
  isUnknown: boolean,
): RunView {
  const { turn, compacting: _compacting, ...rest } = run;
  return isUnknown || turn?.number === number ? { ...rest, ended: reason } : run;
}

/** Returns a run after a gap in its events: its turn may be over. */
export function withUncertainTurn(run: RunView): RunView {
  return run.turn === undefined ? run : { ...run, turn: { ...run.turn, isUncertain: true } };
}

/** Returns a run after a call that was not allowed. */
export function withRefusal(run: RunView, { details = {} }: PayloadOf<"Error">): RunView {
  const { callId, because } = details;
  const refusal = {
    isAnswer: because === "answer",
    ...(typeof callId === "string" && isId("call", callId) ? { callId } : {}),
  };
  return { ...run, refusals: [...run.refusals.slice(1 - REFUSALS_MAX), refusal] };
}

/** Returns a run after the start or the end of a summary for a compaction. */
export function withCompaction(run: RunView, { id, ts, payload }: EnvelopeOf<"CompactionProgress">): RunView {
  const { compacting: _before, ...rest } = run;
  if (payload.state === "ended") return rest;
  const { beforeTokens, timeoutMs } = payload;
  return { ...rest, compacting: { event: id, since: ts, beforeTokens, timeoutMs } };
}

/** Returns a run under another model or effort. */
export function withModel(run: RunView, { model, effort }: PayloadOf<"ModelChanged">): RunView {
  return {
    ...run,
    model: shortened(model, NAME_CHARACTERS_MAX),
    ...(effort === undefined ? {} : { effort }),
  };
}

/** Returns a run that continues under another profile, or was left for a session that does. */
export function withProfile(run: RunView, { from, to, next }: PayloadOf<"ProfileSwitched">): RunView {
  const profile = shortened(next === undefined ? to : from, NAME_CHARACTERS_MAX);
  return next === undefined ? { ...run, profile } : { ...run, profile, next };
}

/**
 * Returns a question within the limit. A longer one loses the end of what it only shows, and its `leftOut` counts that.
 * Returns undefined for one whose other fields are too long: a shortened rule or choice would be another one.
 */
function shortQuestion(question: Question): Question | undefined {
  const characters = jsonCharacters(question);
  if (characters <= QUESTION_CHARACTERS_MAX) return question;
  const short = withShortDetails(question);
  const keptCharacters = jsonCharacters(short);
  if (keptCharacters > QUESTION_CHARACTERS_MAX) return undefined;
  return { ...short, leftOut: characters - keptCharacters };
}

function withShortDetails(question: Question): Question {
  if (question.kind === "asked") {
    const { details } = question.ask;
    if (details === undefined) return question;
    return {
      ...question,
      ask: { ...question.ask, details: shortenedJson(details, SHORTENED_CHARACTERS_MAX) as JsonObject },
    };
  }
  // A part of the hunks or parts would look like all of them: without them, the call is answered as a whole.
  const { args, diff, hunks: _hunks, parts: _parts, ...request } = question.request;
  const change = diff === undefined ? {} : { diff: head(diff, SHORTENED_CHARACTERS_MAX) };
  return {
    ...question,
    request: { ...request, args: shortenedJson(args, SHORTENED_CHARACTERS_MAX), ...change },
  };
}

/** Returns the run after an event of plan mode, or with the rules and folders that it was opened with. */
export function withCustom(run: RunView, envelope: EnvelopeOf<"CustomEvent">): RunView {
  const planMode = planModeOf(envelope) ?? run.planMode;
  const opened = { openedWith: rulesOpenedWith(envelope), folders: foldersOpenedWith(envelope) };
  return { ...run, planMode, ...defined(opened) };
}
