/**
 * An immutable list that grows at its end in constant time: a longer list shares the entries of the shorter one.
 *
 * Growing the same list twice copies it once, so that no list ever sees the entries of another.
 */
export class GrowingList<Entry> {
  readonly #entries: Entry[];
  readonly length: number;

  private constructor(entries: Entry[], length: number) {
    this.#entries = entries;
    this.length = length;
  }

  /** Returns a list with these entries. */
  static of<Entry>(entries: readonly Entry[] = []): GrowingList<Entry> {
    return new GrowingList([...entries], entries.length);
  }

  /** Returns a list with more entries at its end; this one for none. */
  with(more: readonly Entry[]): GrowingList<Entry> {
    if (more.length === 0) return this;
    const isNewest = this.#entries.length === this.length;
    const entries = isNewest ? this.#entries : this.#entries.slice(0, this.length);
    for (const entry of more) entries.push(entry);
    return new GrowingList(entries, entries.length);
  }

  /** Returns the entry at an index from 0; from the end for a negative one. */
  at(index: number): Entry | undefined {
    const from = index < 0 ? index + this.length : index;
    return from < this.length ? this.#entries[from] : undefined;
  }

  *[Symbol.iterator](): Iterator<Entry> {
    for (let index = 0; index < this.length; index += 1) yield this.#entries[index] as Entry;
  }
}
