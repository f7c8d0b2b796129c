import { HarnessError } from "../../../base/errors.ts";
import type { CheckpointStore, StoredCall, StoredRecord } from "../store/checkpoint-store.ts";
import type { ContentSources } from "../store/stored-content.ts";
import { missingReason, storedContent } from "../store/stored-content.ts";
import type { FileEntry } from "./changed-paths.ts";
import { linkContent } from "./file-side.ts";

/** Content of a file or target of a link, or the reason why it is not there. */
export type FoundContent = Uint8Array | { readonly missing: string };

/** Recorded changes of one log, for an answer about them. */
export interface ChangeSource {
  /** In order. The last one can be of a turn that runs, and not written yet. */
  readonly records: readonly StoredRecord[];
  /** Calls that no record has yet. */
  readonly unwrittenCalls: readonly StoredCall[];
  /** The reason why earlier records are gone; undefined if none are. */
  readonly loss: string | undefined;
  content(path: string, entry: FileEntry, signal: AbortSignal): Promise<FoundContent>;
  /** Lets other work run. @throws the signal's reason. */
  pause(signal: AbortSignal): Promise<void>;
}

/** Reads all records, with the reason why earlier ones are gone. Damage is such a reason. */
export async function recordsOrLoss(
  store: Pick<CheckpointStore, "loss" | "records">,
): Promise<Pick<ChangeSource, "records" | "loss">> {
  try {
    return { records: await store.records(), loss: store.loss };
  } catch (thrown) {
    if (!(thrown instanceof HarnessError)) throw thrown;
    return { records: [], loss: thrown.message };
  }
}

export interface EntrySources extends ContentSources {
  /** Reads a file whose content is not stored yet; undefined if it is stored or cannot be read. */
  readonly unstored: (path: string) => Uint8Array | undefined;
}

/** Returns the content of an entry from where it is kept. */
export async function entryContent(
  { path, entry }: { readonly path: string; readonly entry: FileEntry },
  sources: EntrySources,
  signal: AbortSignal,
): Promise<FoundContent> {
  if (entry.kind === "symlink") return linkContent(entry.target);
  const { content } = entry;
  const bytes =
    content.kind === "missing" ? sources.unstored(path) : await storedContent(entry, sources, signal);
  return bytes ?? { missing: content.kind === "missing" ? content.why : missingReason(entry) };
}
