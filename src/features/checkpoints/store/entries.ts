import { SKIP_REASONS } from "../tracking/selection.ts";
import type { ChangedBy, StoredChange, StoredRecord } from "./checkpoint-store.ts";
import type { Content, Entry } from "./entry.ts";
import { packEntry, sameEntry, sameStat, unpackEntry } from "./entry.ts";

type FileEntry = Extract<Entry, { kind: "file" }>;

/** Earlier state of each path that calls changed while it was open. */
export type Journal = Map<string, Entry | undefined>;

/** Returns the state after some records, from the first on. */
export function entriesAfter(records: readonly StoredRecord[]): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const { changes } of records) {
    for (const [path, , stored] of changes) {
      const entry = unpackEntry(stored);
      if (entry === undefined) entries.delete(path);
      else entries.set(path, entry);
    }
  }
  return entries;
}

/** State of each path, who changed what since the last record, and which contents still have to be stored. */
export class Entries {
  readonly #all = new Map<string, Entry>();
  /** Differences to the last record. */
  readonly #changed = new Map<string, ChangedBy>();
  /** The state of these paths in the last record. */
  readonly #recorded = new Map<string, Entry | undefined>();
  readonly #unstored = new Set<string>();
  /** Paths outside the workspace, and folders that are not scanned: few of many. */
  readonly #outside = new Set<string>();
  readonly #leftOut = new Set<string>();
  readonly #journals = new Set<Journal>();

  /** False as long as nothing was recorded; nothing is a difference then. */
  #isRecorded: boolean;

  /** @param known state after earlier records; undefined if there are none. */
  constructor(known: ReadonlyMap<string, Entry> | undefined) {
    this.#isRecorded = known !== undefined;
    for (const [path, entry] of known ?? []) this.#put(path, entry);
  }

  get all(): ReadonlyMap<string, Entry> {
    return this.#all;
  }

  get outside(): readonly string[] {
    return [...this.#outside];
  }

  get leftOut(): readonly string[] {
    return [...this.#leftOut];
  }

  /** Files whose content still has to be stored. */
  get unstored(): readonly (readonly [path: string, entry: FileEntry])[] {
    return [...this.#unstored].flatMap((path) => {
      const entry = this.#all.get(path);
      return entry?.kind === "file" ? [[path, entry] as const] : [];
    });
  }

  get hasChanges(): boolean {
    return this.#changed.size > 0;
  }

  get(path: string): Entry | undefined {
    return this.#all.get(path);
  }

  /** Sets the current state of a path. A difference is attributed to `by`. */
  set(path: string, entry: Entry | undefined, by: ChangedBy): void {
    const before = this.#all.get(path);
    this.#put(path, entry);
    if (!this.#isRecorded || sameEntry(before, entry)) return;
    if (by !== "user")
      for (const journal of this.#journals) if (!journal.has(path)) journal.set(path, before);
    const other = this.#changed.get(path);
    if (other === undefined) this.#recorded.set(path, before);
    this.#changed.set(path, other === undefined || other === by ? by : "both");
  }

  /** Adds details about an unchanged file: the author of its change stays. */
  refine(path: string, entry: FileEntry): void {
    this.#put(path, entry);
  }

  /** Begins to note what calls change. */
  openJournal(): Journal {
    const journal: Journal = new Map();
    this.#journals.add(journal);
    return journal;
  }

  closeJournal(journal: Journal): void {
    this.#journals.delete(journal);
  }

  /** Returns an entry with its content where that was stored since, in this state or an earlier one. */
  withContent(
    path: string,
    entry: Entry | undefined,
    isStored: (name: string) => boolean,
  ): Entry | undefined {
    if (entry?.kind !== "file" || !isPending(entry.content)) return entry;
    const now = this.#all.get(path);
    if (now?.kind === "file" && !isPending(now.content) && sameStat(now.stat, entry.stat)) return now;
    const { print } = entry.content;
    return print !== undefined && isStored(print)
      ? { ...entry, content: { kind: "kept", name: print } }
      : entry;
  }

  /** Returns the entry of a file whose content still has to be stored; undefined for any other path. */
  unstoredAt(path: string): FileEntry | undefined {
    const entry = this.#unstored.has(path) ? this.#all.get(path) : undefined;
    return entry?.kind === "file" ? entry : undefined;
  }

  /** Paths that calls changed since the last record, with their state in it; read `all` for their state now. */
  get changedByCalls(): readonly (readonly [path: string, from: Entry | undefined])[] {
    return [...this.#changed].flatMap(([path, by]) =>
      by === "user" ? [] : [[path, this.#recorded.get(path)] as const],
    );
  }

  /** Returns the changes to write: all paths if nothing was recorded. */
  toRecord(): readonly StoredChange[] {
    return this.#isRecorded
      ? [...this.#changed].map(([path, by]) => [path, by, packEntry(this.#all.get(path))])
      : [...this.#all].map(([path, entry]) => [path, "user", packEntry(entry)]);
  }

  wasRecorded(): void {
    this.#isRecorded = true;
    this.#changed.clear();
    this.#recorded.clear();
  }

  #put(path: string, entry: Entry | undefined): void {
    if (entry === undefined) this.#all.delete(path);
    else this.#all.set(path, entry);
    note(this.#unstored, path, entry?.kind === "file" && isPending(entry.content));
    note(this.#leftOut, path, entry?.kind === "other" && SKIP_REASONS.has(entry.why));
    if (path.startsWith("/")) note(this.#outside, path, entry !== undefined);
  }
}

/** Returns a content that still has to be stored. @param print its fingerprint, if no time would show a change. */
export function pendingContent(print?: string): Content {
  return print === undefined ? PENDING : { ...PENDING, print };
}
const PENDING = { kind: "missing", why: "not kept yet" } as const;

/** Returns true for a content that still has to be stored. */
export function isPending(content: Content): content is Extract<Content, { kind: "missing" }> {
  return content.kind === "missing" && content.why === PENDING.why;
}

function note(paths: Set<string>, path: string, isOne: boolean): void {
  if (isOne) paths.add(path);
  else if (paths.size > 0) paths.delete(path);
}
