import type { LogId } from "../../base/ids.ts";
import { stringAt } from "../../base/json.ts";
import type { InputBlock } from "../../protocol/content.ts";
import type { Event } from "../../protocol/events/events.ts";
import { fence } from "../../safety/fence.ts";
import type { SessionStore } from "../../session/store/store.ts";

/** The CustomEvent of the namespace `cinch` that keeps what a session took over: `{turns, text}`. */
const TURNS_IMPORTED = "TurnsImported";
/** It stands before anything else that happens in the log. */
const LOOKED_THROUGH = 8;

/** Keeps what is imported in the log, so that no crash before the first input loses it. */
export function importedEvent(turns: number, text: string): Event {
  const payload = { turns, text };
  return { kind: "CustomEvent", payload: { namespace: "cinch", kind: TURNS_IMPORTED, payload } };
}

/** As the model gets it: words of models and tools are among it, so it stands behind the fence. */
export function importedBlocks(text: string): readonly InputBlock[] {
  const fenced = fence("summary", text);
  return fenced === undefined ? [] : [{ type: "text", text: fenced }];
}

/** What was imported into a log whose first turn has not begun. */
export async function importedInto(
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
