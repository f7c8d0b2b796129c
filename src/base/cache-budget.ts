/** Total limit of all caches of one engine ([A] § Idle, SES-12). */
export const CACHE_BYTES_MAX = 32 * 1_048_576;

/** Share of it for caches of one name, so that none crowds out the others. */
const SHARE_MAX = 0.5;

/** Bytes counted per entry beside its key and value. */
const ENTRY_BYTES = 128;

/** Statistics of the caches of one name. Hits, misses and evictions count from the start of the engine. */
export interface CacheCounts {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  /** Entries evicted for lack of space; those that the owner deleted or replaced do not count. */
  readonly evictions: number;
}

export interface CacheOptions<Value> {
  /** Returns the approximate bytes of a value; default: as plain data, see `weightOf`. */
  readonly weigh?: (value: Value) => number;
  /** Called for a value evicted for lack of space. It must not use any cache itself. */
  readonly onEvicted?: (value: Value, key: string) => void;
}

/** Values that can be fetched again from their source. Disposing it discards them. */
export interface Cache<Value> extends Disposable {
  /** Returns the value of a key, which becomes the last to be evicted. */
  get(key: string): Value | undefined;
  /** Stores a value and replaces an older one. A value above the share of its cache is evicted at once. */
  set(key: string, value: Value): void;
  /** Removes a value. */
  delete(key: string): void;
  clear(): void;
}

interface Entry {
  readonly kind: Kind;
  readonly bytes: number;
  /** Removes it from its cache and notifies the owner. */
  evict(): void;
}

interface Kind {
  readonly name: string;
  /** Least recently used first. */
  readonly entries: Set<Entry>;
  bytes: number;
  hits: number;
  misses: number;
  evictions: number;
}

/**
 * The budget that all caches of an engine share (SES-12). When a new entry needs space, the least recently used
 * entries of any cache are evicted.
 *
 * Caches of one name are counted together: each session has its own.
 */
export class CacheBudget {
  readonly bytesMax: number;
  readonly #shareMax: number;
  readonly #kinds = new Map<string, Kind>();
  /** Least recently used first. */
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  constructor(bytesMax: number = CACHE_BYTES_MAX) {
    this.bytesMax = bytesMax;
    this.#shareMax = Math.floor(bytesMax * SHARE_MAX);
  }

  /** Total weight of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the statistics of every cache that was ever opened, by name. */
  counts(): readonly CacheCounts[] {
    return [...this.#kinds.values()]
      .map(({ entries, ...counts }) => ({ ...counts, entries: entries.size }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Opens a cache with separate keys. Its name is shown to people. */
  open<Value>(name: string, options: CacheOptions<Value> = {}): Cache<Value> {
    const { weigh = weightOf, onEvicted } = options;
    const kind = this.#kindOf(name);
    const entries = new Map<string, { readonly entry: Entry; readonly value: Value }>();
    const remove = (key: string) => {
      const known = entries.get(key);
      entries.delete(key);
      if (known !== undefined) this.#remove(known.entry);
    };
    const clear = () => {
      for (const key of entries.keys()) remove(key);
    };
    return {
      get: (key) => {
        const known = entries.get(key);
        if (known === undefined) kind.misses += 1;
        else this.#use(known.entry);
        return known?.value;
      },
      set: (key, value) => {
        remove(key);
        const bytes = ENTRY_BYTES + weightOf(key) + weigh(value);
        const evict = () => {
          remove(key);
          onEvicted?.(value, key);
        };
        const entry: Entry = { kind, bytes, evict };
        entries.set(key, { entry, value });
        this.#add(entry);
      },
      delete: remove,
      clear,
      [Symbol.dispose]: clear,
    };
  }

  #kindOf(name: string): Kind {
    const known = this.#kinds.get(name);
    if (known !== undefined) return known;
    const kind: Kind = { name, entries: new Set(), bytes: 0, hits: 0, misses: 0, evictions: 0 };
    this.#kinds.set(name, kind);
    return kind;
  }

  /** Moves the entry to the end of both orders. */
  #use(entry: Entry): void {
    const { kind } = entry;
    kind.hits += 1;
    for (const order of [this.#entries, kind.entries]) {
      order.delete(entry);
      order.add(entry);
    }
  }

  #add(entry: Entry): void {
    const { kind, bytes } = entry;
    if (bytes > this.#shareMax) {
      this.#evict(entry); // it can never fit, and must not evict others
      return;
    }
    while (kind.bytes + bytes > this.#shareMax) this.#evictFirst(kind.entries);
    while (this.#bytes + bytes > this.bytesMax) this.#evictFirst(this.#entries);
    this.#entries.add(entry);
    kind.entries.add(entry);
    kind.bytes += bytes;
    this.#bytes += bytes;
  }

  #evictFirst(order: ReadonlySet<Entry>): void {
    const [oldest] = order;
    if (oldest !== undefined) this.#evict(oldest);
  }

  #evict(entry: Entry): void {
    entry.kind.evictions += 1;
    entry.evict();
  }

  #remove(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    entry.kind.entries.delete(entry);
    entry.kind.bytes -= entry.bytes;
    this.#bytes -= entry.bytes;
  }
}

/** Bytes of a value, a property or a list item beside its text. */
const OVERHEAD_BYTES = 32;
const BYTES_PER_CHARACTER = 2;

/**
 * Estimates the memory of plain data in bytes, rather too high: two for each character, 32 for each value and name.
 * Shared and circular values count once.
 */
export function weightOf(value: unknown): number {
  const open: unknown[] = [value];
  const seen = new Set<object>();
  let bytes = 0;
  while (open.length > 0) {
    const next = open.pop();
    bytes += OVERHEAD_BYTES;
    if (typeof next === "string") bytes += next.length * BYTES_PER_CHARACTER;
    if (typeof next !== "object" || next === null || seen.has(next)) continue;
    seen.add(next);
    if (ArrayBuffer.isView(next)) {
      bytes += next.byteLength;
    } else if (Array.isArray(next)) {
      for (const item of next) open.push(item);
    } else {
      for (const [name, item] of Object.entries(next)) {
        bytes += OVERHEAD_BYTES + name.length * BYTES_PER_CHARACTER;
        open.push(item);
      }
    }
  }
  return bytes;
}
