import { asError } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import type { Clock } from "../../../base/world.ts";
import type { NewsItem } from "../../../protocol/events/news.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import type { Scope } from "../../../session/access/scope.ts";
import type { Described, NewsView } from "./news-reader.ts";
import { NEWS_INTERVAL_MS, NEWS_SESSIONS_MAX, NewsReader } from "./news-reader.ts";

/** Time for which changes are gathered: the events of one step come together, and the step ends first. */
export const NEWS_GATHER_MS = 20;
/** Shortest time between two goes: where much changes, more is described and sent together. */
const NEWS_GO_MS = 100;
/** Changed sessions that are described in one go; other work of the engine runs before the next. */
const DESCRIBED_AT_ONCE = 32;
/** Wait before the next go if this one was not enough. */
const NEXT_GO_MS = 1;

/** Describes sessions, exactly as ListSessions does. */
export interface NewsSource {
  /** Returns the logs that ListSessions would list, and all that a scope of named sessions reaches. */
  listed(wanted: {
    readonly past: boolean;
    readonly limit: number;
    readonly scope: Scope;
  }): Promise<{ readonly logs: readonly LogId[]; readonly reached: readonly LogId[] }>;
  /** Returns what a client sees of these logs; those that are not stored are left out. */
  infosOf(logs: readonly LogId[], view: NewsView): Promise<readonly SessionInfo[]>;
}

export interface NewsDependencies {
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  readonly source: NewsSource;
}

export interface NewsRequest {
  readonly past: boolean;
  readonly scope: Scope;
  readonly reader?: string;
  readonly signal: AbortSignal;
  /** Items that come together, if so many are due. */
  readonly atOnce: number;
}

/**
 * The news about all sessions of an engine, for any number of readers (CTL-19).
 *
 * A change of a session costs its turn an entry in a map. Later, and at most every `NEWS_INTERVAL_MS`, the session is
 * described once for all readers. One description is made after the other, so that no reader gets an older state last.
 */
export class News {
  readonly #parts: NewsDependencies;
  readonly #readers = new Set<NewsReader>();
  /** Readers that wait for a part of their first list. */
  readonly #asking = new Set<NewsReader>();
  /** Sessions that have changed, with the time at which they are described. */
  readonly #changed = new Map<LogId, number>();
  /** Times before which a session is not described again. */
  readonly #restingUntil = new Map<LogId, number>();
  #timer: { readonly dueMs: number; readonly handle: Disposable } | undefined;
  #isWorking = false;
  /** Time of the last go that described a change. */
  #wentMs = Number.NEGATIVE_INFINITY;

  constructor(parts: NewsDependencies) {
    this.#parts = parts;
  }

  /** Number of readers. */
  get readers(): number {
    return this.#readers.size;
  }

  /** Notes that the log of a session, or what is known beside it, has changed, or is deleted. Takes no time. */
  changed(log: LogId): void {
    if (this.#readers.size === 0) return;
    if (this.#changed.has(log)) return;
    const dueMs = Math.max(
      this.#nowMs + NEWS_GATHER_MS,
      this.#wentMs + NEWS_GO_MS,
      this.#restingUntil.get(log) ?? 0,
    );
    this.#changed.set(log, dueMs);
    this.#wakeAt(dueMs);
  }

  /** Yields the news from now on; it begins with the first read. @throws HarnessError of the store. */
  async *read({ signal, atOnce, ...wanted }: NewsRequest): AsyncGenerator<readonly NewsItem[]> {
    const { clock } = this.#parts;
    const reader: NewsReader = new NewsReader({ clock, ...wanted, describe: () => this.#ask(reader) });
    this.#readers.add(reader);
    try {
      this.#ask(reader);
      yield* reader.read(signal, atOnce);
    } finally {
      this.#leave(reader);
    }
  }

  /** Ends every reading. */
  close(): void {
    for (const reader of this.#readers) reader.end();
  }

  #leave(reader: NewsReader): void {
    this.#readers.delete(reader);
    this.#asking.delete(reader);
    if (this.#readers.size > 0) return;
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = undefined;
    this.#changed.clear();
    this.#restingUntil.clear();
  }

  #ask(reader: NewsReader): void {
    this.#asking.add(reader);
    void this.#work();
  }

  /** Describes what is asked for, then what is due. Never throws: a failure ends the readers. */
  async #work(): Promise<void> {
    if (this.#isWorking) return; // what runs looks again
    this.#isWorking = true;
    try {
      for (const reader of this.#asking) {
        this.#asking.delete(reader);
        await (reader.isListed ? this.#describeFirst(reader) : this.#list(reader));
      }
      await this.#tell(this.#takeDue());
    } catch (thrown) {
      for (const reader of this.#readers) reader.end(asError(thrown));
    } finally {
      this.#isWorking = false;
    }
    this.#goOn();
  }

  #goOn(): void {
    if (this.#asking.size > 0) return void this.#work();
    if (this.#changed.size === 0) return;
    const dueMs = Math.min(...this.#changed.values());
    this.#wakeAt(Math.max(dueMs, this.#nowMs + NEXT_GO_MS));
  }

  async #list(reader: NewsReader): Promise<void> {
    const { past, scope } = reader;
    const { logs, reached } = await this.#parts.source.listed({ past, scope, limit: NEWS_SESSIONS_MAX });
    reader.begin(logs, reached);
  }

  async #describeFirst(reader: NewsReader): Promise<void> {
    const logs = reader.undescribed;
    const described = await this.#describe(logs, reader.view);
    for (const log of logs) reader.deliver(log, described.get(log));
  }

  #takeDue(): readonly LogId[] {
    const nowMs = this.#nowMs;
    for (const [log, untilMs] of this.#restingUntil) if (untilMs <= nowMs) this.#restingUntil.delete(log);
    const due: LogId[] = [];
    for (const [log, dueMs] of this.#changed) {
      if (dueMs > nowMs) continue;
      this.#changed.delete(log);
      this.#restingUntil.set(log, nowMs + NEWS_INTERVAL_MS);
      due.push(log);
      if (due.length === DESCRIBED_AT_ONCE) break;
    }
    if (due.length > 0) this.#wentMs = nowMs;
    return due;
  }

  /** Describes sessions once for all readers of one name whose tokens show the same of them. */
  async #tell(logs: readonly LogId[]): Promise<void> {
    if (logs.length === 0) return;
    const listed = [...this.#readers].filter(({ isListed }) => isListed);
    const groups = Map.groupBy(
      listed,
      ({ view: { scope, reader } }) => `${scope.sessions === "all"} ${reader ?? ""}`,
    );
    for (const readers of groups.values()) {
      const [first] = readers;
      if (first === undefined) continue;
      const described = await this.#describe(logs, first.view);
      for (const reader of readers) for (const log of logs) reader.deliver(log, described.get(log));
    }
  }

  async #describe(logs: readonly LogId[], view: NewsView): Promise<ReadonlyMap<LogId, Described>> {
    const atMs = this.#nowMs;
    const infos = await this.#parts.source.infosOf(logs, view);
    return new Map(
      infos.map((info) => [
        info.log,
        { item: { kind: "SessionChanged", session: info.session, info }, atMs },
      ]),
    );
  }

  #wakeAt(dueMs: number): void {
    if (this.#isWorking) return; // it looks when it has finished
    if (this.#timer !== undefined && this.#timer.dueMs <= dueMs) return;
    this.#timer?.handle[Symbol.dispose]();
    const handle = this.#parts.clock.timer(Math.max(0, Math.ceil(dueMs - this.#nowMs)), () => {
      this.#timer = undefined;
      void this.#work();
    });
    this.#timer = { dueMs, handle };
  }

  get #nowMs(): number {
    return this.#parts.clock.monotonic();
  }
}
