import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { plain } from "../../base/text/text.ts";

/** Characters of a wrong id that its refusal shows. */
const SHOWN_CHARS_MAX = 64;

/** The session that a client names, on whatever wire. @throws HarnessError InvalidSessionID. */
export function sessionIdIn(text: string): SessionId {
  if (isId("sess", text)) return text;
  throw new HarnessError("InvalidSessionID", { id: plain(text, SHOWN_CHARS_MAX) });
}

/** The id of an event as a client writes it; undefined where that is none. */
export function eventSeqIn(text: string): EventSeq | undefined {
  const seq = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(seq) ? seq : undefined;
}

/**
 * Holds a client that wants to go on after an event to what the session has: it would wait for events that it takes for
 * seen, and miss all before them (CTL-14).
 * @param name what the event stands under in the request.
 * @throws HarnessError InvalidPath where it lies beyond the last event.
 */
export function assertHappened(since: EventSeq | undefined, last: EventSeq, name: string): void {
  if (since === undefined || since <= last) return;
  throw new HarnessError("InvalidPath", { why: `${name}: the last event of this session is ${last}` });
}
