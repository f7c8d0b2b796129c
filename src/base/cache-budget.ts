import { weightOf } from "./weight.ts";

/** What all caches of one engine hold together at the most ([A] § Idle, SES-12). */
export const CACHE_BYTES_MAX = 32 * 1_048_576;

/** The part of it that caches of one name have at the most, so that none keeps the others empty. */
const SHARE_MAX = 0.5;

/** What is counted of an entry beside its key and its value. */
const ENTRY_BYTES = 128;

/** How the caches of one name are doing. Hits, misses and evictions count from the start of the engine. */
export interface CacheCounts {
  readonly name: string;
  readonly entries: number;
  readonly bytes: number;
  readonly hits: number;
  readonly misses: number;
  /** Entries that went for want of room; what was taken out or replaced by its owner does not count. */
  readonly evictions: number;
}

export interface CacheOptions<Value> {
  /** About how many bytes a value takes; absent: as plain data, see `weightOf`. */
  readonly weigh?: (value: Value) => number;
  /** Told of a value that went for want of room. It opens, reads and changes no cache itself. */
  readonly onEvicted?: (value: Value, key: string) => void;
}

/** Values that can be had again from where they came. Disposing it forgets them. */
export interface Cache<Value> extends Disposable {
  /** What is kept under a key; it is then the last that goes. */
  get(key: string): Value | undefined;
  /** Keeps a value in place of an older one. One that is heavier than the share of its cache is evicted at once. */
  set(key: string, value: Value): void;
  /** Takes a value out. */
  delete(key: string): void;
  clear(): void;
}

interface Entry {
  readonly kind: Kind;
  readonly bytes: number;
  /** Takes it out of its cache and tells the owner. */
  evict(): void;
}

interface Kind {
  readonly name: string;
  /** The one that was used longest ago first. */
  readonly entries: Set<Entry>;
  bytes: number;
  hits: number;
  misses: number;
  evictions: number;
}

/**
 * The one budget that every cache of an engine shares (SES-12): when an entry comes in for which there is no room, those
 * that were used longest ago go, whichever cache they are in.
 *
 * Caches of one name are counted together: each session has its own.
 */
export class CacheBudget {
  readonly bytesMax: number;
  readonly #shareMax: number;
  readonly #kinds = new Map<string, Kind>();
  /** The one that was used longest ago first. */
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  constructor(bytesMax: number = CACHE_BYTES_MAX) {
    this.bytesMax = bytesMax;
    this.#shareMax = Math.floor(bytesMax * SHARE_MAX);
  }

  /** What all entries weigh together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Every cache that was ever opened, in the order of names. */
  counts(): readonly CacheCounts[] {
    return [...this.#kinds.values()]
      .map(({ entries, ...counts }) => ({ ...counts, entries: entries.size }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Opens a cache with keys of its own. Its name is shown to people. */
  open<Value>(name: string, options: CacheOptions<Value> = {}): Cache<Value> {
    const { weigh = weightOf, onEvicted } = options;
    const kind = this.#kindOf(name);
    const kept = new Map<string, { readonly entry: Entry; readonly value: Value }>();
    const remove = (key: string) => {
      const known = kept.get(key);
      kept.delete(key);
      if (known !== undefined) this.#remove(known.entry);
    };
    const clear = () => {
      for (const key of kept.keys()) remove(key);
    };
    return {
      get: (key) => {
        const known = kept.get(key);
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
        kept.set(key, { entry, value });
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

  /** The newest goes last in both orders. */
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
      this.#evict(entry); // it can never have room, and pushes nothing out
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
