import { hasReason } from "../../../../base/errors.ts";
import type { EventSeq, LogId } from "../../../../base/ids.ts";
import type { World } from "../../../../base/world.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import { SEARCH_EVENTS_READ_MAX } from "../../../../protocol/queries/search-queries.ts";
import type { ItemText } from "../../../../session/search/item-texts.ts";
import { ItemTexts } from "../../../../session/search/item-texts.ts";
import type { LogPart, ProbedLog } from "../../../../session/search/search-index.ts";
import type { ItemMatch, SearchTerms } from "../../../../session/search/search-terms.ts";
import { PAGE_EVENTS_MIN, WorkSlices } from "../../../../session/search/work-slices.ts";
import { isInRanges } from "../../../../session/store/expired.ts";
import { isTurnEnded, isTurnStarted } from "../../../../view/turn-marks.ts";
import { turnMark } from "../history/history-reader.ts";
import type { SearchedUpTo } from "./search-cursor.ts";
import type { SearchedStore } from "./searched-logs.ts";

/** A longer part is read in pieces of whole turns, the newest first. */
const PIECE_EVENTS = 1_024;
/** Events that are read to find the turn of a hit. */
const TURN_EVENTS = 64;

export interface LogMatch {
  readonly logId: LogId;
  readonly match: ItemMatch;
}

export interface SearchLimits {
  readonly hits: number;
  readonly ms: number;
}

/** Counts of what was searched. */
export interface SearchCounts {
  readonly sessions: number;
  readonly events: number;
  readonly expired: number;
  readonly unreadable: number;
}

interface SearchRunSources {
  readonly store: SearchedStore;
  readonly world: Pick<World, "clock">;
  readonly terms: SearchTerms;
  readonly limits: SearchLimits;
  readonly signal: AbortSignal;
}

/** One search: reads the parts of logs that may hold hits, until a limit is reached. At least one part is read. */
export class SearchRun {
  readonly #sources: SearchRunSources;
  readonly #startMs: number;
  readonly #matches: LogMatch[] = [];
  #counts: SearchCounts = { sessions: 0, events: 0, expired: 0, unreadable: 0 };
  #eventsRead = 0;
  readonly #slices: WorkSlices;

  constructor(sources: SearchRunSources) {
    this.#sources = sources;
    this.#startMs = sources.world.clock.monotonic();
    this.#slices = new WorkSlices(sources.world.clock);
  }

  get matches(): readonly LogMatch[] {
    return this.#matches;
  }

  get counts(): SearchCounts {
    return this.#counts;
  }

  /** Searches logs in order; returns the position at which it has stopped, undefined at the end. */
  async search(
    logs: AsyncIterable<ProbedLog>,
    from: SearchedUpTo | undefined,
  ): Promise<SearchedUpTo | undefined> {
    for await (const log of logs) {
      this.#sources.signal.throwIfAborted();
      const before = from?.logId === log.logId ? from.before : undefined;
      const stoppedAt = await this.#searchLog(log, before ?? log.lastEvent + 1);
      await this.#slices.pause();
      if (stoppedAt !== undefined) return { logId: log.logId, before: stoppedAt };
      if (this.#isOver) return { logId: log.logId };
    }
    return undefined;
  }

  get #isOver(): boolean {
    const { clock } = this.#sources.world;
    const { limits } = this.#sources;
    return (
      this.#matches.length >= limits.hits ||
      clock.monotonic() - this.#startMs >= limits.ms ||
      this.#eventsRead >= SEARCH_EVENTS_READ_MAX
    );
  }

  /** Searches the items of a log that begin before an event, the last first; returns the event at which it stopped. */
  async #searchLog(log: ProbedLog, before: EventSeq): Promise<EventSeq | undefined> {
    const stop = (at: EventSeq) => {
      this.#count(log, { from: at, to: before - 1 });
      return at;
    };
    for (const part of log.parts.toReversed()) {
      if (part.from >= before) continue;
      for await (const piece of this.#pieces(log, part, before)) {
        const matches = await this.#matchesIn(log, piece, part.to);
        for (const match of matches.toReversed()) {
          if (match.item.event >= before) continue;
          this.#matches.push({ logId: log.logId, match });
          if (this.#matches.length >= this.#sources.limits.hits) return stop(match.item.event);
        }
        if (this.#isOver && piece.from > 1) return stop(piece.from);
      }
    }
    this.#count(log, { from: 1, to: before - 1 });
    return undefined;
  }

  /** Yields the pieces of a part, the last first; those that begin at an event or behind it are left out. */
  async *#pieces(log: ProbedLog, part: LogPart, before: EventSeq): AsyncGenerator<LogPart> {
    for (let to = part.to; to >= part.from; ) {
      const isLong = to - part.from >= PIECE_EVENTS;
      const from = isLong ? await this.#turnStart(log.logId, { from: part.from, to }) : part.from;
      if (from < before) yield { from, to };
      to = from - 1;
    }
  }

  /** Returns the start of a turn with some events behind it; the start of the part if there is none. */
  async #turnStart(logId: LogId, { from, to }: LogPart): Promise<EventSeq> {
    for (let at = to; at > from; ) {
      this.#sources.signal.throwIfAborted();
      let page: readonly Envelope[];
      try {
        page = await this.#sources.store.eventsBefore(logId, at, TURN_EVENTS);
      } catch (thrown) {
        if (!hasReason(thrown, "StoreCorrupt")) throw thrown;
        return from;
      }
      await this.#slices.pause();
      const start = page.find((event) => event.id > from && isTurnStarted(event));
      if (start !== undefined) return start.id;
      at = (page[0]?.id ?? from) - 1;
    }
    return from;
  }

  /**
   * Returns the matches in a piece, in the order of their first events.
   * @param last the last event of its part: a command of a person may end in a later piece.
   */
  async #matchesIn(log: ProbedLog, piece: LogPart, last: EventSeq): Promise<readonly ItemMatch[]> {
    const found: ItemMatch[] = [];
    const onItem = (item: ItemText) => {
      const match = this.#sources.terms.match(item);
      if (match !== undefined) found.push(match);
    };
    const items = new ItemTexts(onItem, piece.from === 1 ? undefined : "unknown");
    for await (const event of this.#events(log, piece)) {
      items.add(event, isInRanges(event.id, log.expired));
      await this.#slices.pause();
    }
    if (items.hasShellCall)
      for await (const event of this.#events(log, { from: piece.to + 1, to: last })) {
        items.addShellResult(event, isInRanges(event.id, log.expired));
        if (!items.hasShellCall || this.#isOver) break;
        await this.#slices.pause();
      }
    items.end();
    found.sort((a, b) => a.item.event - b.item.event);
    return found.some(({ item }) => item.turn === "unknown")
      ? withTurn(found, await this.#turnBefore(log.logId, piece.from))
      : found;
  }

  /** Yields the events of a piece in order; those that cannot be read are counted and left out. */
  async *#events({ logId }: ProbedLog, { from, to }: LogPart): AsyncGenerator<Envelope> {
    const { store, signal, world } = this.#sources;
    let [since, limit, unreadableTo] = [from - 1, PAGE_EVENTS_MIN, 0];
    while (since < to) {
      signal.throwIfAborted();
      const startMs = world.clock.monotonic();
      const asked = since < unreadableTo ? 1 : Math.min(limit, to - since);
      let page: readonly Envelope[];
      try {
        page = await store.markedEvents(logId, since, asked);
      } catch (thrown) {
        if (!hasReason(thrown, "StoreCorrupt")) throw thrown;
        if (asked > 1) {
          unreadableTo = since + asked; // event by event, to find those that cannot be read
          continue;
        }
        since += 1;
        this.#counts = { ...this.#counts, unreadable: this.#counts.unreadable + 1 };
        continue;
      }
      limit = this.#slices.pageAfter(limit, world.clock.monotonic() - startMs);
      since = page.at(-1)?.id ?? to;
      this.#eventsRead += page.length;
      for (const event of page) if (event.id <= to) yield event;
    }
  }

  /** Returns the turn that an event stands in; undefined between turns, and where no event near it says it. */
  async #turnBefore(logId: LogId, event: EventSeq): Promise<number | undefined> {
    try {
      const page = await this.#sources.store.eventsBefore(logId, event - 1, TURN_EVENTS);
      const marked = page.findLast((each) => turnMark(each) !== undefined);
      return marked === undefined || isTurnEnded(marked) ? undefined : turnMark(marked);
    } catch (thrown) {
      if (!hasReason(thrown, "StoreCorrupt")) throw thrown;
      return undefined;
    }
  }

  #count({ expired }: ProbedLog, { from, to }: LogPart): void {
    const events = Math.max(0, to - from + 1);
    const expiredEvents = expired.reduce(
      (sum, range) => sum + Math.max(0, Math.min(to, range.to) - Math.max(from, range.from) + 1),
      0,
    );
    const counts = this.#counts;
    this.#counts = {
      sessions: counts.sessions + 1,
      events: counts.events + events,
      expired: counts.expired + expiredEvents,
      unreadable: counts.unreadable,
    };
  }
}

function withTurn(matches: readonly ItemMatch[], turn: number | undefined): readonly ItemMatch[] {
  return matches.map((match) =>
    match.item.turn === "unknown" ? { ...match, item: { ...match.item, turn } } : match,
  );
}
