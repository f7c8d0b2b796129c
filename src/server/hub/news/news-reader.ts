import { defined } from "../../../base/defined.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import type { Clock } from "../../../base/world.ts";
import type { NewsItem } from "../../../protocol/events/news.ts";
import type { Scope } from "../../../session/access/scope.ts";
import { allowsSession } from "../../../session/access/scope.ts";

/** Shortest time between two items about one session: at most four in a second. */
export const NEWS_INTERVAL_MS = 250;
/** Sessions that one reader has. With one more, it loses the one that was active longest ago. */
export const NEWS_SESSIONS_MAX = 1_000;
/** Sessions of the first list that are described together. */
const DESCRIBED_AT_ONCE = 50;

/** The client that a session is described for. */
export type NewsView = Pick<NewsReaderOptions, "scope" | "reader">;

export interface NewsReaderOptions {
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  /** True if stored sessions are wanted too. */
  readonly past: boolean;
  readonly scope: Scope;
  /** Name under which marks of what was read are kept. Absent: its items have no `unread`. */
  readonly reader?: string;
  /** Has the first sessions of `undescribed` delivered. */
  readonly describe: () => void;
}

/** A session as it was at some time. All readers get the same object. */
export interface Described {
  readonly item: Extract<NewsItem, { readonly kind: "SessionChanged" }>;
  readonly atMs: number;
}

/** A change that the reader has not taken. */
type PendingItem =
  /** A session of the first list, not described yet. */
  | "listed"
  | "gone"
  /** The end of the first list. */
  | "ready"
  | Described;

/** A session that the reader has. */
interface Shown {
  readonly session: SessionId;
  readonly updatedAt: string;
  /** Time of its last item, to which the interval counts. */
  readonly atMs: number;
}

const READY = "ready";

/**
 * One reader of news. What it has not taken is one entry for each session, its newest state: a slow reader misses
 * states, never the last one.
 */
export class NewsReader {
  readonly #options: NewsReaderOptions;
  readonly #pending = new Map<LogId | typeof READY, PendingItem>();
  readonly #shown = new Map<LogId, Shown>();
  /** Logs that its token reaches under the name of another run. */
  readonly #reached = new Set<LogId>();
  #isListed = false;
  #wake: () => void = () => undefined;
  #isOver = false;
  #failure: Error | undefined;

  constructor(options: NewsReaderOptions) {
    this.#options = options;
  }

  get scope(): Scope {
    return this.#options.scope;
  }

  /** Facts that its descriptions depend on. */
  get view(): NewsView {
    const { scope, reader } = this.#options;
    return { scope, ...defined({ reader }) };
  }

  get past(): boolean {
    return this.#options.past;
  }

  /** True once it has its first list. */
  get isListed(): boolean {
    return this.#isListed;
  }

  /** Number of entries that wait for the reader. */
  get waiting(): number {
    return this.#pending.size;
  }

  /** Number of sessions that the reader has. */
  get sessions(): number {
    return this.#shown.size;
  }

  /** The next sessions of the first list that have to be described. */
  get undescribed(): readonly LogId[] {
    const logs: LogId[] = [];
    for (const [log, item] of this.#pending) {
      if (item === "listed" && log !== READY) logs.push(log);
      if (logs.length === DESCRIBED_AT_ONCE) break;
    }
    return logs;
  }

  /** Gives it the logs to begin with, and all that its token reaches if that names sessions. */
  begin(logs: readonly LogId[], reached: readonly LogId[]): void {
    for (const log of logs) this.#pending.set(log, "listed");
    for (const log of reached) this.#reached.add(log);
    this.#pending.set(READY, "ready");
    this.#isListed = true;
    this.#wake();
  }

  /** Takes the newest state of a session; undefined: it is not stored any more. */
  deliver(log: LogId, described: Described | undefined): void {
    if (described !== undefined && this.#sees(described)) this.#put(log, described);
    else if (this.#shown.has(log)) this.#pending.set(log, "gone");
    else this.#pending.delete(log);
    this.#wake();
  }

  /** Ends the reading; with an error it throws that. */
  end(failure?: Error): void {
    this.#isOver = true;
    this.#failure ??= failure;
    this.#wake();
  }

  /** Yields what is due, at most so many items together, until the signal aborts. @throws the error of `end`. */
  async *read(signal: AbortSignal, atOnce: number): AsyncGenerator<readonly NewsItem[]> {
    const onAbort = () => this.#wake();
    signal.addEventListener("abort", onAbort);
    try {
      while (!signal.aborted) {
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#isOver) return;
        const items = this.#takeAll(atOnce);
        if (items.length > 0) yield items;
        else await this.#wait(signal);
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#isOver = true;
      this.#pending.clear();
      this.#shown.clear();
    }
  }

  #sees({ item: { session, info } }: Described): boolean {
    if (!this.past && !info.live) return false;
    return allowsSession(this.scope, session) || this.#reached.has(info.log);
  }

  #put(log: LogId, described: Described): void {
    const isNew = !this.#pending.has(log) && !this.#shown.has(log);
    if (isNew && this.#pending.size >= 2 * NEWS_SESSIONS_MAX) this.#dropOldest();
    this.#pending.set(log, described);
  }

  /** Drops the change that waits longest of those about a session that the reader does not have. */
  #dropOldest(): void {
    for (const log of this.#pending.keys()) {
      if (log === READY || this.#shown.has(log)) continue;
      this.#pending.delete(log);
      return;
    }
  }

  #takeAll(countMax: number): readonly NewsItem[] {
    const items: NewsItem[] = [];
    while (items.length < countMax) {
      const item = this.#take();
      if (item === undefined) break;
      items.push(item);
    }
    return items;
  }

  /** Returns the next item that is due; undefined if there is none. */
  #take(): NewsItem | undefined {
    const nowMs = this.#options.clock.monotonic();
    for (const [log, pending] of this.#pending) {
      if (pending === "listed") return undefined;
      if (log === READY) {
        this.#pending.delete(READY);
        return { kind: "NewsReady" };
      }
      if (this.#dueMs(log, pending) > nowMs) continue;
      if (typeof pending === "object") return this.#goneBefore(log, pending) ?? this.#changed(log, pending);
      this.#pending.delete(log);
      return this.#gone(log);
    }
    return undefined;
  }

  /** Returns when an item may follow the last one about its session. */
  #dueMs(log: LogId, pending: PendingItem): number {
    const lastMs = this.#shown.get(log)?.atMs ?? Number.NEGATIVE_INFINITY;
    const madeMs = typeof pending === "object" ? pending.atMs : Number.NEGATIVE_INFINITY;
    return Math.max(madeMs, lastMs + NEWS_INTERVAL_MS);
  }

  #changed(log: LogId, pending: Described): NewsItem {
    const { session, info } = pending.item;
    this.#pending.delete(log);
    this.#shown.set(log, { session, updatedAt: info.updated_at, atMs: this.#dueMs(log, pending) });
    return pending.item;
  }

  #gone(log: LogId): NewsItem | undefined {
    const shown = this.#shown.get(log);
    this.#shown.delete(log);
    return shown && { kind: "SessionGone", session: shown.session, log };
  }

  /** Returns the item that comes before a change: an earlier run on its log is gone, or there is no room for it. */
  #goneBefore(log: LogId, { item }: Described): NewsItem | undefined {
    const shown = this.#shown.get(log);
    if (shown !== undefined) return shown.session === item.session ? undefined : this.#gone(log);
    if (this.#shown.size < NEWS_SESSIONS_MAX) return undefined;
    const oldest = this.#oldest();
    this.#pending.delete(oldest);
    return this.#gone(oldest);
  }

  #oldest(): LogId {
    const times = [...this.#shown].map(([log, { updatedAt }]) => {
      const next = this.#pending.get(log);
      return [log, typeof next === "object" ? next.item.info.updated_at : updatedAt] as const;
    });
    return times.reduce((a, b) => (b[1] < a[1] ? b : a))[0];
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (signal.aborted || this.#isOver) return;
    const [next] = this.#pending.values();
    if (next === "listed") this.#options.describe();
    using _due = next === undefined || next === "listed" ? undefined : this.#timer(resolve);
    await promise;
  }

  /** Calls back when the first pending item is due. */
  #timer(run: () => void): Disposable {
    const { clock } = this.#options;
    const dueMs = Math.min(
      ...[...this.#pending].map(([log, pending]) => (log === READY ? 0 : this.#dueMs(log, pending))),
    );
    return clock.timer(Math.max(0, Math.ceil(dueMs - clock.monotonic())), run);
  }
}
