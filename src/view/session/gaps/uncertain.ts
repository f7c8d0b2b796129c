/** Entry of a list of what is open in a session. */
export interface UncertainEntry {
  /** A gap in the events may hold its end: it may be over. Absent: it is open. */
  readonly isUncertain?: true;
}

/** Returns the entries of a list, all uncertain. */
export function uncertain<Entry extends UncertainEntry>(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => ({ ...entry, isUncertain: true }));
}

/** Returns the values of a map, all uncertain. */
export function uncertainValues<Key, Entry extends UncertainEntry>(
  entries: ReadonlyMap<Key, Entry>,
): ReadonlyMap<Key, Entry> {
  return new Map(entries.entries().map(([key, entry]) => [key, { ...entry, isUncertain: true }]));
}
