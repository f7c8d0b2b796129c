import type { LogId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { SessionWishes } from "../../session/plan.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";

/**
 * Kind of the CustomEvent of the namespace `cinch` near the beginning of a log: `{text}` that the first run of the
 * session had at the end of its system text.
 */
const APPENDED = "Appended";
/** It stands behind the events of the session's origin and limits. */
const WITHIN_EVENTS = 16;
/** Characters of the text in a notice. */
const SHOWN_CHARACTERS = 80;

/** Returns the event that records the text of a new session's `--append-system-prompt`; undefined if it has none. */
export function appendedEvent({ appendSystemPrompt: text }: SessionWishes): Event | undefined {
  if (text === undefined) return undefined;
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind: APPENDED, payload: { text } } };
}

/**
 * Returns a notice for a run that continues a session without the text that the session began with. The text in a log
 * is shown and never used: a log may come from elsewhere.
 */
export async function appendedNotices(
  { appendSystemPrompt }: SessionWishes,
  store: Pick<SessionStore, "events">,
  before: Pick<LogInfo, "logId"> | undefined,
): Promise<readonly string[]> {
  if (before === undefined || appendSystemPrompt !== undefined) return [];
  const text = await textIn(store, before.logId);
  if (text === undefined) return [];
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  return [
    `This session began with --append-system-prompt ${JSON.stringify(shown)}. This run does not have that text: give the flag again if it is to hold.`,
  ];
}

async function textIn(store: Pick<SessionStore, "events">, logId: LogId): Promise<string | undefined> {
  for (const { kind, payload } of await store.events(logId, 0, WITHIN_EVENTS))
    if (kind === "CustomEvent" && payload.namespace === "cinch" && payload.kind === APPENDED)
      return stringAt(payload.payload, "text");
  return undefined;
}
