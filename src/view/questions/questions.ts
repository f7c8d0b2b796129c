import { unreachable } from "../../base/assert.ts";
import type { AskId, CallId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { PayloadOf } from "../../protocol/events/events.ts";

/** A question of a session that waits for a person. */
export type Question =
  | { readonly kind: "permission"; readonly request: PayloadOf<"PermissionRequested"> }
  | { readonly kind: "asked"; readonly ask: PayloadOf<"Asked"> };

/** Returns the question that an event asks. */
export function questionOf(envelope: Envelope): Question | undefined {
  if (envelope.kind === "PermissionRequested") return { kind: "permission", request: envelope.payload };
  return envelope.kind === "Asked" ? { kind: "asked", ask: envelope.payload } : undefined;
}

/** Returns the id of a question; an answer names it. */
export function questionId(question: Question): CallId | AskId {
  return question.kind === "permission" ? question.request.callId : question.ask.askId;
}

/**
 * Returns true if an event closes a question: an answer, the result of its call, or the end of its turn. Questions about
 * the project's files outlive a turn.
 */
export function closesQuestion(envelope: Envelope, question: Question): boolean {
  switch (envelope.kind) {
    case "PermissionAnswered":
    case "ToolResult":
      return question.kind === "permission" && question.request.callId === envelope.payload.callId;
    case "Answered":
      return question.kind === "asked" && question.ask.askId === envelope.payload.askId;
    case "TurnEnded":
      return envelope.parentCall === undefined && !outlivesTurn(question);
    case "SessionEnded":
      return envelope.parentCall === undefined;
    default:
      return false;
  }
}

/**
 * Returns the open questions after one more event, the oldest first; the same list if none was asked or closed. A question
 * that is asked again, as with another time limit, keeps its place.
 */
export function questionsAfter(open: readonly Question[], envelope: Envelope): readonly Question[] {
  const asked = questionOf(envelope);
  if (asked !== undefined) {
    const at = open.findIndex((each) => questionId(each) === questionId(asked));
    return at < 0 ? [...open, asked] : open.with(at, asked);
  }
  const rest = open.filter((question) => !closesQuestion(envelope, question));
  return rest.length === open.length ? open : rest;
}

function outlivesTurn(question: Question): boolean {
  switch (question.kind) {
    case "permission":
      return false;
    case "asked":
      return question.ask.about === "trust";
    default:
      return unreachable(question);
  }
}
