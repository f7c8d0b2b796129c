import type { ChangedBy, StoredCall, StoredRecord } from "../store/checkpoint-store.ts";
import type { Entry } from "../store/entry.ts";
import { sameEntry, unpackEntry } from "../store/entry.ts";

/** A file or link; what is neither counts as nothing. */
export type FileEntry = Extract<Entry, { readonly kind: "file" | "symlink" }>;

/** One changed path, with its state before and after. */
export interface ChangedPath {
  readonly path: string;
  readonly by: Exclude<ChangedBy, "user">;
  readonly from?: FileEntry;
  readonly to?: FileEntry;
}

/** Changes of a turn, and if they are all that is to be known. */
export interface TurnChanges {
  readonly paths: readonly ChangedPath[];
  /** False if the end of the turn was not recorded. */
  readonly isEnded: boolean;
}

/**
 * Returns the paths that the calls of a turn changed; undefined if nothing of that turn was recorded.
 *
 * A path that somebody else alone changed is left out. A turn whose process died has the changes that were found later,
 * by an unknown author.
 */
export function changesOfTurn(records: readonly StoredRecord[], turn: number): TurnChanges | undefined {
  const start = records.findIndex(
    (each) => each.turn === turn && (each.kind === "base" || each.kind === "before"),
  );
  if (start === -1) return undefined;
  const end = records.findIndex((each) => each.turn === turn && each.kind === "after");
  const found = end === -1 ? start + 1 : end;
  const by = new Map<string, ChangedBy>();
  for (const [path, author] of records[found]?.changes ?? []) {
    if (end === -1 ? author === "unknown" : author !== "user") by.set(path, author);
  }
  const before = new Map<string, FileEntry | undefined>();
  const after = new Map<string, FileEntry | undefined>();
  for (const [index, { changes }] of records.slice(0, found + 1).entries()) {
    const state = index <= start ? before : after;
    for (const [path, , stored] of changes) if (by.has(path)) state.set(path, fileOf(unpackEntry(stored)));
  }
  const paths = [...by].map(([path, author]) =>
    changedPath(path, author, {
      from: before.get(path),
      to: after.has(path) ? after.get(path) : before.get(path),
    }),
  );
  return { paths: paths.filter(isDifferent), isEnded: end !== -1 };
}

/**
 * Returns the paths that calls changed in a session: from before the first of these changes to after the last one.
 * Changes that somebody else made in between are part of it.
 *
 * @param isCounted false for a record whose changes do not count any more.
 */
export function changesOfSession(
  records: readonly StoredRecord[],
  isCounted: (record: StoredRecord) => boolean,
): readonly ChangedPath[] {
  const touched = new Set(
    records
      .filter(isCounted)
      .flatMap(({ changes }) => changes.flatMap(([path, by]) => (by === "user" ? [] : [path]))),
  );
  const state = new Map<string, FileEntry | undefined>();
  const first = new Map<string, FileEntry | undefined>();
  const last = new Map<string, FileEntry | undefined>();
  const authors = new Map<string, ChangedBy>();
  const byUser = new Set<string>();
  for (const record of records) {
    const counts = isCounted(record);
    for (const [path, by, stored] of record.changes) {
      if (!touched.has(path)) continue;
      const entry = fileOf(unpackEntry(stored));
      if (by === "user" && first.has(path)) byUser.add(path);
      if (by !== "user" && counts) {
        if (!first.has(path)) first.set(path, state.get(path));
        last.set(path, entry);
        const other = authors.get(path);
        authors.set(path, byUser.has(path) || (other !== undefined && other !== by) ? "both" : by);
      }
      state.set(path, entry);
    }
  }
  return [...first]
    .map(([path, from]) => changedPath(path, authors.get(path) ?? "calls", { from, to: last.get(path) }))
    .filter(isDifferent);
}

/** Returns the paths that one call changed. */
export function changesOfCall({ changes }: Pick<StoredCall, "changes">): readonly ChangedPath[] {
  return changes
    .map(([path, from, to]) =>
      changedPath(path, "calls", { from: fileOf(unpackEntry(from)), to: fileOf(unpackEntry(to)) }),
    )
    .filter(isDifferent);
}

function changedPath(
  path: string,
  by: ChangedBy,
  { from, to }: { readonly from: FileEntry | undefined; readonly to: FileEntry | undefined },
): ChangedPath {
  return {
    path,
    by: by === "user" ? "both" : by,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
}

function isDifferent({ from, to }: ChangedPath): boolean {
  return !sameEntry(from, to);
}

/** Returns true if a path differs as a file or link. */
export function isFileChanged(from: Entry | undefined, to: Entry | undefined): boolean {
  return !sameEntry(fileOf(from), fileOf(to));
}

function fileOf(entry: Entry | undefined): FileEntry | undefined {
  return entry?.kind === "file" || entry?.kind === "symlink" ? entry : undefined;
}
