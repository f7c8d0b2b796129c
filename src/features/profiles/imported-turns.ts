import type { LogId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { Event } from "../../protocol/events/events.ts";
import { fence } from "../../safety/fence.ts";
import type { SessionStore } from "../../session/store/store.ts";

/** CustomEvent of the namespace `cinch` that stores what a session took over: `{turns, text}`. */
const TURNS_IMPORTED = "TurnsImported";
/** Limit for the events to search: it precedes everything else in the log. */
const LOOKED_THROUGH = 8;

/** Returns the event that stores an import in the log, so that no crash before the first input loses it. */
export function importedEvent(turns: number, text: string): Event {
  const payload = { turns, text };
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind: TURNS_IMPORTED, payload } };
}

/** Returns the import for the model: it contains text of models and tools, so it is inside the fence. */
export function importedBlocks(text: string): readonly InputBlock[] {
  const fenced = fence("summary", text);
  return fenced === undefined ? [] : [{ type: "text", text: fenced }];
}

/** Returns the import of a log whose first turn has not begun. */
export async function readImport(
  store: Pick<SessionStore, "events">,
  logId: LogId,
): Promise<readonly InputBlock[]> {
  for (const event of await store.events(logId, 0, LOOKED_THROUGH)) {
    if (event.kind !== "CustomEvent" || event.payload.namespace !== "cinch") continue;
    if (event.payload.kind !== TURNS_IMPORTED) continue;
    return importedBlocks(stringAt(event.payload.payload, "text") ?? "");
  }
  return [];
}
