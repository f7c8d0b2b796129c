import type { GitRepository } from "../git/git-repository.ts";
import type { CheckpointStore } from "./checkpoint-store.ts";
import type { Entry } from "./entry.ts";

export interface ContentSources {
  readonly store: Pick<CheckpointStore, "content">;
  readonly repository: () => GitRepository | undefined;
}

/** Returns the content of a file from where it is kept; undefined if it is gone or cannot be opened. */
export async function storedContent(
  { content, stat }: Extract<Entry, { kind: "file" }>,
  { store, repository }: ContentSources,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  if (content.kind === "missing") return undefined;
  if (content.kind === "kept") return await store.content(content.name);
  const bytes = await repository()?.objects.blob(content.object, signal);
  return bytes?.length === stat.size ? bytes : undefined;
}

/** Returns the reason why `storedContent` has none. */
export function missingReason(entry: Entry | undefined): string {
  return entry?.kind === "file" && entry.content.kind === "git"
    ? "the repository no longer has its content"
    : "its content is missing or damaged in the checkpoint store";
}
