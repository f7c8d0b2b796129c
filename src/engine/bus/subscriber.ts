import type { EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import { streamGap, withGaps } from "../../session/history/gaps.ts";
import { LogPages } from "../../session/store/log-pages.ts";
import type { SessionStore } from "../../session/store/store.ts";
import type { ArgsDelta } from "./args-delta.ts";
import { joinedArgs } from "./args-delta.ts";
import type { EventOrigin } from "./origin.ts";

/** Events queued in memory for one subscriber; a slower one is refilled from the log. */
export const SUBSCRIBER_EVENTS_MAX = 1_024;

/** Queued events outside the log; above this the oldest is dropped. */
export const ASIDE_EVENTS_MAX = 16;

/** The log that a subscriber reads, and its session. */
export interface SubscribedLog {
  readonly store: SessionStore;
  readonly logId: LogId;
  readonly session: SessionId;
  /** Returns the current time in the format of events. */
  readonly now: () => string;
  /** Returns the newest events, which the log may not have yet. */
  readonly unlogged: () => readonly Envelope[];
}

/** An event outside the log that waits for its reader. */
interface AsideEvent {
  readonly event: Event;
  readonly origin: EventOrigin;
  readonly ts: string;
}

/**
 * One reader of a session's events: everything after its cursor in order, first from the log, then live.
 *
 * It never delays the engine and never loses an event: when its queue is full the queue is dropped, and the
 * reader continues from the log at its cursor, and then from memory (ENG-08). If the log no longer has the next event,
 * a StreamGap replaces it (CTL-14).
 */
export class Subscriber {
  readonly #log: SubscribedLog;
  readonly #pages: LogPages;
  /** The newest event at the start: earlier events missing in the log have expired. */
  readonly #newest: EventSeq;
  #cursor: EventSeq;
  /** An event before the cursor that is read first. */
  #first: Envelope | undefined;
  #live: Envelope[] = [];
  #aside: AsideEvent[] = [];
  #behind: boolean;
  #over = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(log: SubscribedLog, since: EventSeq, newest: EventSeq) {
    this.#log = log;
    this.#pages = new LogPages((from, limit) => log.store.events(log.logId, from, limit));
    this.#newest = newest;
    this.#cursor = since;
    this.#behind = since < newest;
  }

  /** Delivers an event of the log from before the cursor, which is read first. Call before reading begins. */
  deliverFirst(event: Envelope): void {
    this.#first = event;
  }

  /** Delivers the events after the last ones. Never waits. */
  deliver(events: readonly Envelope[]): void {
    if (this.#behind) return; // it will read them later
    if (this.#live.length + events.length > SUBSCRIBER_EVENTS_MAX) {
      this.#live = [];
      this.#behind = true;
    } else {
      this.#live.push(...events);
    }
    this.#notify();
  }

  /** Delivers an event outside the log: it is read next, with the id of the event before it. Never waits. */
  deliverAside(event: Event, origin: EventOrigin = {}): void {
    this.#aside = [...this.#aside.slice(1 - ASIDE_EVENTS_MAX), { event, origin, ts: this.#log.now() }];
    this.#notify();
  }

  /** Delivers a piece of a call's arguments, as `deliverAside` does, joined with the one that waits before it. */
  deliverArgs(event: ArgsDelta, origin: EventOrigin): void {
    const { callId } = event.payload;
    const isOfCall = ({ event: { kind, payload } }: AsideEvent) =>
      kind === "ToolArgsDelta" && payload.callId === callId;
    const at = this.#aside.findLastIndex(isOfCall);
    const waiting = this.#aside[at]?.event;
    const joined = waiting?.kind === "ToolArgsDelta" ? joinedArgs(waiting, event) : undefined;
    if (joined !== undefined) this.#aside.splice(at, 1);
    this.deliverAside(joined ?? event, origin);
  }

  /** Ends the subscription after the events that are available. */
  end(failure?: Error): void {
    this.#over = true;
    this.#failure = failure;
    this.#notify();
  }

  /** Reads the events; call once. `leave` is called when the reading ends, for any reason. */
  async *read(signal: AbortSignal, leave: () => void): AsyncGenerator<Envelope> {
    const onAbort = () => this.#notify();
    signal.addEventListener("abort", onAbort);
    try {
      if (this.#first !== undefined && !signal.aborted) yield this.#first;
      while (!signal.aborted) {
        for (const event of this.#takeAside(({ kind }) => kind !== "ToolArgsDelta")) {
          yield event;
          if (signal.aborted) return;
        }
        const batch = this.#behind ? await this.#readLog() : this.#takeLive();
        for (const event of batch) {
          if (event.id <= this.#cursor) continue;
          for (const piece of this.#argsBefore(event)) {
            yield piece;
            if (signal.aborted) return;
          }
          this.#cursor = event.id;
          yield event;
          if (signal.aborted) return;
        }
        for (const piece of this.#behind ? [] : this.#takeAside(({ kind }) => kind === "ToolArgsDelta")) {
          yield piece;
          if (signal.aborted) return;
        }
        if (batch.length > 0 || this.#behind || this.#live.length > 0 || this.#aside.length > 0) continue;
        if (this.#over || signal.aborted) break;
        await this.#news();
      }
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      signal.removeEventListener("abort", onAbort);
      signal.removeEventListener("abort", leave);
      leave();
    }
  }

  /**
   * Reads a page of the log, and after the last one what memory had beyond the log when the reading began. The reader
   * is then live again: later events are in the queue.
   */
  async #readLog(): Promise<readonly Envelope[]> {
    this.#behind = false;
    const { session, now } = this.#log;
    const unlogged = this.#log.unlogged().slice();
    const page = await this.#pages.after(this.#cursor);
    if (!page.isLast) {
      this.#behind = true;
      this.#live = [];
    }
    const logged = page.events.at(-1)?.id ?? this.#cursor;
    const more = this.#behind ? [] : unlogged.filter(({ id }) => id > logged);
    const events = withGaps([...page.events, ...more], this.#cursor, session);
    const last = events.at(-1)?.id ?? this.#cursor;
    if (this.#behind || last >= this.#newest) return events;
    return [...events, streamGap({ from: last + 1, to: this.#newest }, { session, ts: now() })];
  }

  /** Takes the pieces of the arguments of a call that begins. Others wait for the events before them. */
  #argsBefore(event: Envelope): readonly Envelope[] {
    if (event.kind !== "ToolCallStarted" || this.#aside.length === 0) return [];
    const { callId } = event.payload;
    return this.#takeAside(({ kind, payload }) => kind === "ToolArgsDelta" && payload.callId === callId);
  }

  /** Takes events outside the log, with the id of the event before them. */
  #takeAside(isWanted: (event: Event) => boolean): readonly Envelope[] {
    if (this.#aside.length === 0) return [];
    const { session } = this.#log;
    const { taken = [], left = [] } = Object.groupBy(this.#aside, ({ event }) =>
      isWanted(event) ? "taken" : "left",
    );
    this.#aside = left;
    const id = Math.max(1, this.#cursor);
    return taken.map(({ event, origin, ts }) => ({ ...event, ...origin, session, ts, aside: true, id }));
  }

  #takeLive(): readonly Envelope[] {
    const live = this.#live;
    this.#live = [];
    return live;
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #notify(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
