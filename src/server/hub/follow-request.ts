import { HarnessError } from "../../base/errors.ts";
import type { EventSeq, SessionId } from "../../base/ids.ts";
import { isId } from "../../base/ids.ts";
import { plain } from "../../base/text/text.ts";
import type { SessionInfo } from "../../protocol/resources.ts";

/** Characters of a wrong id that its refusal shows. */
const SHOWN_CHARS_MAX = 64;

/** Reads the session that a client names, on any transport. @throws HarnessError InvalidSessionID. */
export function sessionIdIn(text: string): SessionId {
  if (isId("sess", text)) return text;
  throw new HarnessError("InvalidSessionID", { id: plain(text, SHOWN_CHARS_MAX) });
}

/** Reads the id of an event as a client writes it; undefined for any other text. */
export function eventSeqIn(text: string): EventSeq | undefined {
  const seq = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(seq) ? seq : undefined;
}

/**
 * Checks that an event has happened: a client that continues after a later one would miss all events up to it
 * (CTL-14). One that a crash has taken has happened.
 * @param name name of the event's field in the request.
 * @throws HarnessError InvalidPath if it lies beyond the last event.
 */
export function assertHappened(
  since: EventSeq | undefined,
  { events: last, reserved = last }: Pick<SessionInfo, "events" | "reserved">,
  name: string,
): void {
  if (since === undefined || since <= Math.max(last, reserved)) return;
  throw new HarnessError("InvalidPath", { why: `${name}: the last event of this session is ${last}` });
}
