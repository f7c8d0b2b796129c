import type { EventSeq, LogId, SessionId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { LogInfo, LogName, LogQuery } from "../../store/store.ts";
import type { StoreFile } from "../store-file.ts";
import type { WhenFree } from "../when-free.ts";
import type { EventsOfKinds } from "./log-reader.ts";
import type { LoopShare } from "./loop-share.ts";

/** Events, or logs of a list, that are read at a time: at first, at least, and at most. */
const PIECE_EVENTS = 32;
const PIECE_EVENTS_MIN = 4;
const PIECE_EVENTS_MAX = 128;
/** Time that a piece should take: a log with long events is read in smaller ones. */
const PIECE_MS = 2;

export interface PacedReaderDependencies {
  readonly file: StoreFile;
  /** Runs a read once no other process has the file locked. */
  readonly asked: WhenFree;
  readonly share: LoopShare;
  readonly now: () => number;
}

/**
 * Reads logs for those who ask, in short pieces: between two of them other work has its turn, however much was asked
 * for. Each piece shows one state of the file; an event is never changed, and what expires meanwhile is marked.
 */
export class PacedReader {
  readonly #file: StoreFile;
  readonly #asked: WhenFree;
  readonly #share: LoopShare;
  readonly #now: () => number;

  constructor({ file, asked, share, now }: PacedReaderDependencies) {
    this.#file = file;
    this.#asked = asked;
    this.#share = share;
    this.#now = now;
  }

  async find(id: LogId | SessionId): Promise<LogInfo | undefined> {
    return await this.#read(() => this.#file.logs.info(id));
  }

  async list(query: LogQuery): Promise<readonly LogInfo[]> {
    return await this.#pages(query, (page) => this.#file.logs.infos(page));
  }

  async names(query: LogQuery): Promise<readonly LogName[]> {
    return await this.#pages(query, (page) => this.#file.logs.names(page));
  }

  async events(logId: LogId, since: EventSeq, limit: number): Promise<readonly Envelope[]> {
    return await this.#forwards(since, limit, (from, count) => this.#file.reading.events(logId, from, count));
  }

  async markedEvents(logId: LogId, since: EventSeq, limit: number): Promise<readonly Envelope[]> {
    return await this.#forwards(since, limit, (from, count) =>
      this.#file.reading.markedEvents(logId, { since: from, limit: count }),
    );
  }

  /** Reads the events of some kinds, of which a long log may have few. */
  async markedKinds(logId: LogId, { since, limit, kinds }: EventsOfKinds): Promise<readonly Envelope[]> {
    const found: Envelope[] = [];
    for (let from = since; found.length < limit; ) {
      const count = Math.min(PIECE_EVENTS, limit - found.length);
      const { events, to } = await this.#read(() =>
        this.#file.reading.markedKinds(logId, { since: from, limit: count, kinds }),
      );
      found.push(...events);
      if (events.length === count) from = events.at(-1)?.id ?? from;
      else if (to === undefined) break;
      else from = to;
    }
    return found;
  }

  async eventsBefore(logId: LogId, before: EventSeq, limit: number): Promise<readonly Envelope[]> {
    const pieces: (readonly Envelope[])[] = [];
    let last = before;
    await this.#pieces(limit, (count) => {
      const events = this.#file.reading.eventsBefore(logId, last, count);
      pieces.push(events);
      last = (events[0]?.id ?? 1) - 1;
      return events.length;
    });
    return pieces.toReversed().flat();
  }

  async #forwards(
    since: EventSeq,
    limit: number,
    read: (from: EventSeq, count: number) => readonly Envelope[],
  ): Promise<readonly Envelope[]> {
    const found: Envelope[] = [];
    let last = since;
    await this.#pieces(limit, (count) => {
      const events = read(last, count);
      found.push(...events);
      last = events.at(-1)?.id ?? last;
      return events.length;
    });
    return found;
  }

  /** Calls `read` with the size of a piece until it has read the limit, or fewer than that size. */
  async #pieces(limit: number, read: (count: number) => number): Promise<void> {
    let size = PIECE_EVENTS;
    for (let left = limit; ; ) {
      const count = Math.min(size, left);
      let tookMs = 0;
      const events = await this.#read(() => {
        const startMs = this.#now();
        const number = read(count);
        tookMs = this.#now() - startMs;
        return number;
      });
      left -= events;
      if (events < count || left <= 0) return;
      if (tookMs < PIECE_MS / 2) size = Math.min(PIECE_EVENTS_MAX, 2 * size);
      else if (tookMs > PIECE_MS) size = Math.max(PIECE_EVENTS_MIN, size >> 1);
    }
  }

  /**
   * Reads which logs a query finds, then those logs in pages, each with its keys in one state of the file. A log that
   * is deleted meanwhile is left out. One that is written meanwhile, which moves it in the list, is not.
   */
  async #pages<Result>(
    query: LogQuery,
    read: (page: readonly number[]) => readonly Result[],
  ): Promise<readonly Result[]> {
    const results: Result[] = [];
    let found: readonly number[] | undefined;
    let at = 0;
    await this.#pieces(query.limit, (count) =>
      this.#file.connection.snapshot(() => {
        found ??= this.#file.logs.numbers(query);
        const page = found.slice(at, at + count);
        results.push(...read(page));
        at += page.length;
        return page.length;
      }),
    );
    return results;
  }

  async #read<Result>(work: () => Result): Promise<Result> {
    for (let { wait } = this.#share; wait !== undefined; { wait } = this.#share) await wait;
    return await this.#asked(work);
  }
}
