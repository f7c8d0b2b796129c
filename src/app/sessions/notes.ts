import { HarnessError } from "../../base/errors.ts";
import { isVisible } from "../../base/text/hidden.ts";
import type { World } from "../../base/world.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { SessionNotes } from "../../session/store/notes/notes.ts";
import type { LogInfo, SessionStore } from "../../session/store/store.ts";
import { neutraliseLine } from "../../view/terminal/terminal-text.ts";

/** Parts that notes are kept with. */
export interface NoteSources {
  readonly store: Pick<SessionStore, "notes">;
  readonly world: Pick<World, "clock">;
  /** Removes known secrets, as from events: nothing else is stored. */
  readonly redactor: Redactor;
}

/** Gives a session a title, or takes it back; returns the title as it is kept, empty for none. */
export async function renameSession(
  sources: NoteSources,
  { logId }: LogInfo,
  title: string,
): Promise<string> {
  const line = neutraliseLine(title.replaceAll(/\s+/gu, " ")).trim();
  const text = isVisible(line) ? sources.redactor.text(line) : "";
  await notesOf(sources, "RenameSession").rename(logId, noteOf(sources, text));
  return text;
}

/** Leaves a session out of lists, or shows it there again. */
export async function archiveSession(
  sources: Pick<NoteSources, "store">,
  { logId }: LogInfo,
  archived: boolean,
): Promise<void> {
  await notesOf(sources, "ArchiveSession").archive(logId, archived);
}

/** Sets the mark of a reader. @throws HarnessError InvalidCommand for an event that the log does not have. */
export async function markRead(
  sources: Pick<NoteSources, "store" | "world">,
  { logId, lastEvent }: LogInfo,
  { reader, event }: { readonly reader: string; readonly event: number },
): Promise<void> {
  const notes = notesOf(sources, "MarkRead");
  if (event > lastEvent) {
    const why = `there is no event ${event}; the last one is ${lastEvent}`;
    throw new HarnessError("InvalidCommand", { kind: "MarkRead", why });
  }
  await notes.markRead(logId, reader, { event, ts: timeOf(sources) });
}

/** Keeps the unsent text of a reader, or removes it. @throws HarnessError DraftsFull. */
export async function setDraft(
  sources: NoteSources,
  { logId }: LogInfo,
  { reader, text }: { readonly reader: string; readonly text: string },
): Promise<void> {
  await notesOf(sources, "SetDraft").setDraft(logId, reader, noteOf(sources, sources.redactor.text(text)));
}

/** @throws HarnessError InvalidCommand for a store of a program that keeps no notes. */
function notesOf({ store }: Pick<NoteSources, "store">, kind: string): SessionNotes {
  if (store.notes !== undefined) return store.notes;
  throw new HarnessError("InvalidCommand", { kind, why: "the session store of this program keeps no notes" });
}

function noteOf(sources: Pick<NoteSources, "world">, text: string) {
  return { text, ts: timeOf(sources) };
}

function timeOf({ world }: Pick<NoteSources, "world">): string {
  return new Date(world.clock.now()).toISOString();
}
