import { tail } from "../../../base/text/text.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { LAST_TEXT_CHARACTERS_MAX } from "../../../protocol/queries/session-queries.ts";
import { TTL_EXPIRED } from "../../../session/store/expired.ts";
import type { LogInfo, SessionStore } from "../../../session/store/store.ts";
import { isShellEvent } from "../../../view/event-facts.ts";

/** Events read from the log at first, since most texts end a turn, and then at a time. */
const FIRST_EVENTS = 12;
const PAGE_EVENTS = 64;
/** Events read in all: a turn whose last text stands further back shows none. */
const EVENTS_READ_MAX = 512;

/** Returns the end of the model's last text on one line; undefined if it has expired, or none is near the end. */
export async function lastText(
  store: Pick<SessionStore, "eventsBefore">,
  { logId, lastEvent }: LogInfo,
): Promise<string | undefined> {
  let text = "";
  for (let before = lastEvent, read = 0; before > 0 && read < EVENTS_READ_MAX; ) {
    const page = await store.eventsBefore(logId, before, read === 0 ? FIRST_EVENTS : PAGE_EVENTS);
    for (const event of page.toReversed()) {
      const piece = pieceOf(event);
      if (piece !== undefined) text = piece + text;
      const isEnough = text.length >= LAST_TEXT_CHARACTERS_MAX;
      if (isEnough || (text.trim() !== "" && isBeforeText(event))) return shown(text);
    }
    read += page.length;
    before = (page[0]?.id ?? 1) - 1;
  }
  return shown(text);
}

function pieceOf({ kind, payload, parentCall }: Envelope): string | undefined {
  if (kind !== "TextDelta" || parentCall !== undefined) return undefined;
  return payload.text === TTL_EXPIRED ? "" : payload.text;
}

/** Returns true for an event that ends a text which follows it. */
function isBeforeText(event: Envelope): boolean {
  const { kind, parentCall } = event;
  // A command of a person runs beside the text.
  if (parentCall !== undefined || isShellEvent(event)) return false;
  return kind === "TurnStarted" || kind === "ToolCallStarted" || kind === "ToolResult";
}

function shown(text: string): string | undefined {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" ? undefined : tail(line, LAST_TEXT_CHARACTERS_MAX);
}
