import { unreachable } from "../../base/assert.ts";
import type { AskId, CallId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";
import { isMissing } from "../follow.ts";

/** A question of a session that waits for a person. */
export type Question = (
  | { readonly kind: "permission"; readonly request: PayloadOf<"PermissionRequested"> }
  | { readonly kind: "asked"; readonly ask: PayloadOf<"Asked"> }
) & {
  /** Characters of its arguments, change or details that a session view left out. Absent: none. */
  readonly leftOut?: number;
  /** A gap in the events may hold its answer: it may be closed. Absent: it is open. */
  readonly isUncertain?: true;
};

/** Returns the question that an event asks. */
export function questionOf(envelope: Envelope): Question | undefined {
  if (envelope.kind === "PermissionRequested") return { kind: "permission", request: envelope.payload };
  return envelope.kind === "Asked" ? { kind: "asked", ask: envelope.payload } : undefined;
}

/** Returns the id of a question; an answer names it. */
export function questionId(question: Question): CallId | AskId {
  return question.kind === "permission" ? question.request.callId : question.ask.askId;
}

/** Returns the request or the ask of a question: the same object as long as it is not asked again. */
export function requestOf(question: Question): PayloadOf<"PermissionRequested"> | PayloadOf<"Asked"> {
  return question.kind === "permission" ? question.request : question.ask;
}

/**
 * Returns true if an event closes a question: an answer, the result of its call, or the end of its turn. Questions
 * about the project's files and codes for tokens outlive a turn.
 */
function closesQuestion(envelope: Envelope, question: Question): boolean {
  switch (envelope.kind) {
    case "PermissionAnswered":
    case "ToolResult":
      return question.kind === "permission" && question.request.callId === envelope.payload.callId;
    case "Answered":
      return question.kind === "asked" && question.ask.askId === envelope.payload.askId;
    case "TurnEnded":
      return envelope.parentCall === undefined && !outlivesTurn(question);
    case "TurnStarted":
      // A turn ends before the next one starts, even if a gap in the events holds its end.
      return envelope.parentCall === undefined && question.isUncertain === true && !outlivesTurn(question);
    case "SessionEnded":
      return envelope.parentCall === undefined;
    default:
      return false;
  }
}

/** Open questions that a person's client keeps, the newest. */
const QUESTIONS_MAX = 64;

/** Limits of the questions that a client keeps. */
interface KeptQuestions {
  /** Returns a question as it is kept; undefined if it is not. Default: every question is kept whole. */
  readonly keep?: (question: Question) => Question | undefined;
  /** Open questions that are kept, the newest. Default: 64. */
  readonly questionsMax?: number;
}

/**
 * Returns the open questions after one more event, the oldest first; the same list if none was asked or closed. A
 * question that is asked again keeps its place. After a gap in the events all are uncertain.
 */
export function questionsAfter(
  open: readonly Question[],
  envelope: Envelope,
  { keep = (question) => question, questionsMax = QUESTIONS_MAX }: KeptQuestions = {},
): readonly Question[] {
  if (isMissing(envelope) && open.length > 0)
    return open.map((question) => ({ ...question, isUncertain: true }));
  const asked = questionOf(envelope);
  if (asked === undefined) {
    const rest = open.filter((each) => !closesQuestion(envelope, each));
    return rest.length === open.length ? open : rest;
  }
  const id = questionId(asked);
  const at = open.findIndex((each) => questionId(each) === id);
  const bounded = keep(asked);
  if (bounded === undefined) return at < 0 ? open : open.toSpliced(at, 1);
  return at < 0 ? [...open.slice(1 - questionsMax), bounded] : open.with(at, bounded);
}

/** The open questions before and after one event, as `questionsAfter` returns them. */
export interface QuestionStep {
  readonly before: readonly Question[];
  readonly after: readonly Question[];
}

/** Entries that a client keeps of open questions, with what belongs to each. */
export interface QuestionEntries<Entry> {
  /** Returns the id of an entry's question; undefined for an entry that no event closes. */
  id(entry: Entry): CallId | AskId | undefined;
  /**
   * Returns the entry of a question; undefined if the client does not show it.
   * @param known the entry that the question has already, as when it is asked again with another time limit.
   */
  entry(question: Question, known: Entry | undefined): Entry | undefined;
}

/**
 * Returns a client's entries after one event: those of closed questions are gone, and a question that was asked has its
 * entry. The same list if nothing changed. An entry that the client has removed itself does not come back.
 */
export function questionEntriesAfter<Entry>(
  entries: readonly Entry[],
  { before, after }: QuestionStep,
  { id, entry }: QuestionEntries<Entry>,
): readonly Entry[] {
  if (before === after) return entries;
  const openIds = new Set<string>(after.map(questionId));
  const rest = entries.filter((each) => {
    const of = id(each);
    return of === undefined || openIds.has(of);
  });
  let next: readonly Entry[] = rest.length === entries.length ? entries : rest;
  for (const question of after) {
    if (before.some((each) => requestOf(each) === requestOf(question))) continue; // marked at most
    const at = next.findIndex((each) => id(each) === questionId(question));
    const made = entry(question, next[at]);
    if (made === undefined || made === next[at]) continue;
    next = at < 0 ? [...next, made] : next.with(at, made);
  }
  return next;
}

function outlivesTurn(question: Question): boolean {
  switch (question.kind) {
    case "permission":
      return false;
    case "asked":
      return question.ask.about === "trust" || question.ask.about === "token-code";
    default:
      return unreachable(question);
  }
}
