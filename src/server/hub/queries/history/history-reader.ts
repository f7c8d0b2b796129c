import type { EventSeq } from "../../../../base/ids.ts";
import { isObject, stringAt } from "../../../../base/json.ts";
import { byteLength, head } from "../../../../base/text/text.ts";
import type { InputBlock } from "../../../../protocol/content.ts";
import type { Envelope } from "../../../../protocol/events/envelope.ts";
import {
  HISTORY_EVENTS_READ_MAX,
  SUMMARY_CHARACTERS_MAX,
} from "../../../../protocol/queries/history-queries.ts";
import { isInRanges } from "../../../../session/store/expired.ts";
import type { EventRange, LogInfo, SessionStore } from "../../../../session/store/store.ts";
import { inputTexts } from "../../../../view/input-text.ts";
import { isTurnStarted } from "../../../../view/turn-marks.ts";

/** Events read from the log at a time. */
const PAGE_EVENTS = 256;
/** Events read at a time to find the turn of a position. */
const PROBE_EVENTS = 64;
/** Events read to find the first event of a turn. */
const SEEK_EVENTS_MAX = 100_000;

/** An event of a log, without the content that no summary shows. */
export interface LogPiece {
  readonly event: Envelope;
  /** Bytes of the JSON of the whole event. */
  readonly bytes: number;
  readonly isExpired: boolean;
}

export type HistoryStore = Pick<SessionStore, "eventsBefore" | "expired" | "markedEvents">;

/** A stretch of a log that was read from its end on. */
export interface ReadBack {
  readonly pieces: readonly LogPiece[];
  /** The first event that was read. */
  readonly from: EventSeq;
  /** True if nothing that belongs to the range stands before it. */
  readonly isBeginning: boolean;
}

/**
 * Reads parts of one log for one answer, at most `HISTORY_EVENTS_READ_MAX` events, and only those that were there when
 * it was opened.
 */
export class HistoryReader {
  readonly log: LogInfo;
  readonly #store: HistoryStore;
  readonly #expired: readonly EventRange[];
  readonly #signal: AbortSignal;
  #eventsLeft = HISTORY_EVENTS_READ_MAX;

  static async open(store: HistoryStore, log: LogInfo, signal: AbortSignal): Promise<HistoryReader> {
    return new HistoryReader(store, log, await store.expired(log.logId), signal);
  }

  private constructor(
    store: HistoryStore,
    log: LogInfo,
    expired: readonly EventRange[],
    signal: AbortSignal,
  ) {
    this.#store = store;
    this.log = log;
    this.#expired = expired;
    this.#signal = signal;
  }

  /** True once this answer may read no more. */
  get isSpent(): boolean {
    return this.#eventsLeft <= 0;
  }

  /** True if a process holds the log: what has not ended there runs. */
  get isHeld(): boolean {
    return this.log.heldBy !== undefined;
  }

  /** Begins the next part of the answer, which may read as many events. */
  renew(): void {
    this.#eventsLeft = HISTORY_EVENTS_READ_MAX;
  }

  /** Returns one event; undefined if the log has none of this id. */
  async at(id: EventSeq): Promise<LogPiece | undefined> {
    const [event] = await this.#store.markedEvents(this.log.logId, id - 1, 1);
    return event?.id === id ? this.pieceOf(event) : undefined;
  }

  /** Yields the events above one, in order, until the log or the limit of this answer ends. */
  async *after(since: EventSeq): AsyncGenerator<LogPiece> {
    for await (const event of this.wholeAfter(since)) yield this.pieceOf(event);
  }

  /** Yields the same with all of their content. */
  async *wholeAfter(since: EventSeq): AsyncGenerator<Envelope> {
    const { logId, lastEvent } = this.log;
    for (let last = since; last < lastEvent && !this.isSpent; ) {
      this.#signal.throwIfAborted();
      const page = await this.#store.markedEvents(logId, last, Math.min(PAGE_EVENTS, this.#eventsLeft));
      this.#eventsLeft -= page.length;
      last = page.at(-1)?.id ?? lastEvent;
      for (const event of page) if (event.id <= lastEvent) yield event;
    }
  }

  /**
   * Reads from an event towards the beginning, until it is enough. What is read doubles from one question to the next.
   * @param floor the last event that is not read.
   */
  async back(from: EventSeq, floor: EventSeq, isEnough: (read: ReadBack) => boolean): Promise<ReadBack> {
    let read: ReadBack = { pieces: [], from: from + 1, isBeginning: from <= floor };
    for (let count = PAGE_EVENTS; ; count = read.pieces.length) {
      read = await this.#extended(read, floor, count);
      if (read.isBeginning || this.isSpent || isEnough(read)) return read;
    }
  }

  async #extended({ pieces, ...edge }: ReadBack, floor: EventSeq, count: number): Promise<ReadBack> {
    let { from, isBeginning } = edge;
    const pages: LogPiece[][] = [];
    for (let read = 0; read < count && !isBeginning && !this.isSpent; ) {
      this.#signal.throwIfAborted();
      const limit = Math.min(PAGE_EVENTS, this.#eventsLeft);
      const page = await this.#store.eventsBefore(this.log.logId, from - 1, limit);
      this.#eventsLeft -= page.length;
      read += page.length;
      const inRange = page.filter(({ id }) => id > floor);
      pages.push(inRange.map((event) => this.pieceOf(event)));
      from = inRange[0]?.id ?? from;
      isBeginning = page.length < limit || inRange.length < page.length || from <= floor + 1;
    }
    return { pieces: [...pages.toReversed().flat(), ...pieces], from, isBeginning };
  }

  /**
   * Returns the first event of the first turn from one on, found by halving; the event after the last one if there is
   * no such turn; undefined if `SEEK_EVENTS_MAX` events do not tell.
   */
  async turnStart(turn: number): Promise<EventSeq | undefined> {
    const { turns, lastEvent, logId } = this.log;
    if (turn > turns) return lastEvent + 1;
    let eventsLeft = SEEK_EVENTS_MAX;
    let [low, high] = [0, lastEvent]; // the turn begins above `low`, at `high` or before
    while (high - low > PROBE_EVENTS) {
      const middle = low + Math.floor((high - low) / 2);
      let found: Envelope | undefined;
      for (let at = middle, limit = PROBE_EVENTS; at > low && found === undefined; limit = PAGE_EVENTS) {
        this.#signal.throwIfAborted();
        if (eventsLeft <= 0) return undefined;
        const page = await this.#store.eventsBefore(logId, at, limit);
        eventsLeft -= page.length;
        found = newestMarked(page.filter(({ id }) => id > low));
        at = (page[0]?.id ?? 1) - 1;
      }
      const reached = found === undefined ? undefined : turnMark(found);
      if (found === undefined || reached === undefined || reached < turn) low = middle;
      else high = found.id;
    }
    const around = await this.#store.markedEvents(logId, low, PROBE_EVENTS);
    const start = around.find((event) => isTurnStarted(event) && event.payload.turn >= turn);
    return start?.id ?? lastEvent + 1;
  }

  pieceOf(event: Envelope): LogPiece {
    return {
      event: slimEvent(event),
      bytes: byteLength(JSON.stringify(event)),
      isExpired: isInRanges(event.id, this.#expired),
    };
  }
}

/** Returns the last event that names its turn. */
function newestMarked(events: readonly Envelope[]): Envelope | undefined {
  return events.findLast((event) => turnMark(event) !== undefined);
}

/** Returns the turn that the last of these events belongs to, if any of them names it. */
export function lastNamedTurn(events: readonly Envelope[]): number | undefined {
  const marked = newestMarked(events);
  return marked === undefined ? undefined : turnMark(marked);
}

/** Returns the turn that an event of the session's own agent names; undefined for most events. */
export function turnMark({ kind, payload, parentCall }: Envelope): number | undefined {
  if (parentCall !== undefined) return undefined;
  switch (kind) {
    case "TurnStarted":
    case "TurnEnded":
    case "TurnTiming":
      return payload.turn;
    case "CostIncremented":
      return payload.purpose === undefined ? payload.turn : undefined;
    default:
      return undefined;
  }
}

/** Returns an event without the content that no summary shows, so that many can be kept. */
function slimEvent(event: Envelope): Envelope {
  switch (event.kind) {
    case "TextDelta":
      return { ...event, payload: { ...event.payload, text: slimText(event.payload.text) } };
    case "ThinkingDelta": {
      const { block } = event.payload;
      return { ...event, payload: { ...event.payload, block: { ...block, text: slimText(block.text) } } };
    }
    case "ToolCallStarted":
      return { ...event, payload: { ...event.payload, args: slimArgs(event.payload.args) } };
    case "ToolCallProgress":
      return { ...event, payload: { ...event.payload, partial: "" } };
    case "ToolResult":
      return { ...event, payload: { ...event.payload, content: [] } };
    case "TurnStarted": {
      const { content, ...payload } = event.payload;
      return {
        ...event,
        payload: content === undefined ? payload : { ...payload, content: slimInput(content) },
      };
    }
    case "InputQueued":
      return { ...event, payload: { ...event.payload, content: slimInput(event.payload.content) } };
    case "InputEdited":
      return { ...event, payload: { ...event.payload, content: slimInput(event.payload.content) } };
    case "PermissionRequested": {
      const { diff: _diff, hunks: _hunks, parts: _parts, ...payload } = event.payload;
      return { ...event, payload: { ...payload, args: {}, summary: slimText(payload.summary) } };
    }
    default:
      return event;
  }
}

/** Keeps more than a summary shows, which may leave out white space. */
export function slimText(text: string): string {
  return head(text, 2 * SUMMARY_CHARACTERS_MAX);
}

/** Keeps the texts, and the first of them only as far as a summary shows it. */
function slimInput(content: readonly InputBlock[]): InputBlock[] {
  return [{ type: "text", text: slimText(inputText(content)) }];
}

/** Returns the text of an input on one line; other blocks by their type. */
export function inputText(content: readonly InputBlock[]): string {
  return inputTexts(content, (type) => `(${type})`).join(" ");
}

/** Keeps the arguments that are texts, each as far as a summary shows it. */
function slimArgs(args: unknown): unknown {
  if (!isObject(args)) return args;
  const texts = Object.keys(args).flatMap((key) => {
    const text = stringAt(args, key);
    return text === undefined ? [] : [[key, key.endsWith("path") ? text : slimText(text)] as const];
  });
  return Object.fromEntries(texts);
}
