import type { EnvelopeOf } from "../../protocol/events/envelope.ts";
import { neutraliseLine } from "../terminal/terminal-text.ts";

/**
 * Returns the text about a switch of the profile ([A] § Mid-session profile switching): for the session that
 * continues, and, for later readers, for the one that was left.
 */
export function switchedText({ session, payload }: EnvelopeOf<"ProfileSwitched">): string {
  const { previous, next, inPlace = false } = payload;
  const [from, to] = [payload.from, payload.to].map(neutraliseLine);
  if (inPlace)
    return `The session continues in place on profile '${to}' instead of '${from}'. What was said before was said under other instructions and tools: the model may be incoherent.`;
  if (previous !== undefined)
    return `Started new session ${session} on profile '${to}'. Old session ${previous} is paused; /sessions:resume ${previous} to return.`;
  return `Paused here; session ${next ?? "(unknown)"} went on, on profile '${to}'.`;
}
