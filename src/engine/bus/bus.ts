import { assert } from "../../base/assert.ts";
import { asError } from "../../base/errors.ts";
import type { CallId, EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";
import type {
  Batch,
  CallOutcome,
  Durability,
  Intent,
  SessionStore,
  SessionWriter,
  StoredMessage,
} from "../../session/store/store.ts";
import { mergeDelta } from "./delta.ts";
import type { EventOrigin } from "./origin.ts";
import type { Redaction } from "./redaction.ts";
import { Subscriber } from "./subscriber.ts";

/** Longest wait of deltas after the first one of a block: with log and transport 20 ms in total. */
export const DELTA_FLUSH_MS = 18;

/**
 * Longest wait of the records of a round: its calls and results are written together, after the next request has left.
 * A call that takes longer is shown while it runs.
 */
export const ROUND_FLUSH_MS = 15;

/** Microtasks that an engine step may run before its events are written: less than any machine-level wait. */
const STEP_MICROTASKS = 24;

/** Items not yet in the log; above this the producer of deltas waits. */
export const PENDING_ITEMS_MAX = 256;

export interface BusOptions {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly store: SessionStore;
  readonly writer: SessionWriter;
  readonly clock: Clock;
  /** Redacts secrets in published events. */
  readonly redaction: Redaction;
}

type Item =
  | { readonly kind: "event"; event: Event; readonly origin: EventOrigin; readonly ts: string }
  | { readonly kind: "message"; readonly message: Message; readonly turn: number; readonly boundary: boolean }
  | { readonly kind: "intent"; readonly intent: Intent }
  | { readonly kind: "outcome"; readonly outcome: CallOutcome; readonly mutating: boolean };

/**
 * The events of one session: each is appended to the log, then published, in one order for all subscribers ([A] §
 * seam 3).
 *
 * Ids are assigned when a batch is written, so they are gapless and continue over all runs of a log. Items published
 * while a batch is being written form the next one (group commit). Deltas of one block are merged until then: the
 * first is sent at once, later ones within `DELTA_FLUSH_MS`.
 *
 * A log that cannot be written ends the bus: every waiting and later call throws that error, and so does every
 * subscription, after the events that were written.
 */
export class Bus {
  readonly #options: BusOptions;
  readonly #subscribers = new Set<Subscriber>();
  /** Subscribers that are people, who also get events outside the log. */
  readonly #people = new Set<Subscriber>();
  #pending: Item[] = [];
  readonly #begunCalls = new Set<CallId>();
  #last: EventSeq;
  #lastKind = "";
  #writing: Promise<void> | undefined;
  /** True while the outcome of a call that may have changed something is being written. */
  #writingOwed = false;
  #timer: Disposable | undefined;
  #roundTimer: Disposable | undefined;
  #flushQueued = false;
  /** True if an event waits that is to be shown as soon as the batch before it is written. */
  #isUrgent = false;
  #failure: Error | undefined;
  /** True if the next batch must survive a power loss. */
  #powerWanted = false;
  /** Number of batches in the log, and of those that survive a power loss. */
  #written = 0;
  #synced = 0;
  #writeMs = 0;
  #over = false;

  constructor(options: BusOptions) {
    this.#options = options;
    this.#last = options.writer.lastEvent;
  }

  get session(): SessionId {
    return this.#options.session;
  }

  /** The newest event in the log. */
  get lastEvent(): EventSeq {
    return this.#last;
  }

  /** Milliseconds spent writing the log so far. */
  get writeMs(): number {
    return this.#writeMs;
  }

  /** Publishes an event. It is in the log before any client sees it; `commit` waits for that. */
  publish(published: Event, origin: EventOrigin = {}): void {
    this.#assertOpen();
    const event = this.#options.redaction.event(published);
    if (event === undefined) return;
    const newest = this.#pending.at(-1);
    const merged = newest?.kind === "event" ? mergeDelta(newest, event, origin) : undefined;
    if (merged !== undefined && newest?.kind === "event") {
      newest.event = merged;
      return;
    }
    const ts = new Date(this.#options.clock.now()).toISOString();
    this.#pending.push({ kind: "event", event, origin, ts });
    if (mayWait(event)) this.#flushWithRound();
    else if (isDelta(event) && event.kind === this.#lastKind) this.#flushLater();
    else this.#flushSoon();
    this.#lastKind = event.kind;
  }

  /** Adds a redacted message to the stored history, at its position among the events. */
  remember(message: Message, turn: number, boundary = false): void {
    this.#assertOpen();
    this.#pending.push({ kind: "message", message, turn, boundary });
    this.#flushWithRound();
  }

  /** Records that a call is about to run. `commit` waits for the log; without it, the log has it soon. */
  intend(intent: Intent): void {
    this.#assertOpen();
    this.#begunCalls.add(intent.callId);
    const summary = this.#options.redaction.text(intent.summary);
    this.#pending.push({ kind: "intent", intent: { ...intent, summary } });
    this.#flushWithRound();
  }

  /** Returns, once, true if a call was about to run: a call that ended before that had no effect. */
  takeBegun(callId: CallId): boolean {
    return this.#begunCalls.delete(callId);
  }

  /** Records how a call ended: with the events that follow, or within `ROUND_FLUSH_MS`. */
  conclude(outcome: CallOutcome, { mutating }: Pick<Intent, "mutating">): void {
    this.#assertOpen();
    this.#pending.push({ kind: "outcome", outcome, mutating });
    this.#flushWithRound();
  }

  /** Resolves when the log has the outcome of every call so far that may have changed something. */
  async commitOutcomes(): Promise<void> {
    if (this.#pending.some(isOwed)) return await this.commit("process");
    if (this.#writingOwed) await this.#writing;
    this.#assertOpen();
  }

  /** Resolves when everything published so far is in the log and was delivered to the subscribers. */
  async commit(durability: Durability): Promise<void> {
    this.#powerWanted ||= durability === "power";
    while (this.#writing !== undefined) await this.#writing;
    this.#assertOpen();
    if (this.#pending.length > 0) await this.#write();
    else this.#powerWanted = false;
    if (durability === "power") await this.sync();
    this.#assertOpen();
  }

  /** Resolves when everything in the log so far survives a power loss. What is pending is not written for it. */
  async sync(): Promise<void> {
    this.#assertOpen();
    const batches = this.#written;
    if (this.#synced >= batches) return;
    const { writer } = this.#options;
    if (writer.sync === undefined) return await this.#syncByBatch(batches);
    try {
      await writer.sync();
    } catch (thrown) {
      throw this.#fail(thrown);
    }
    this.#synced = Math.max(this.#synced, batches);
  }

  async #syncByBatch(batches: number): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#assertOpen();
    if (this.#synced >= batches) return;
    this.#powerWanted = true;
    await this.#write();
  }

  /** Writes what is pending once this engine step is over: called when a request has just left. */
  writeSoon(): void {
    if (this.#pending.length > 0) this.#flushSoon();
  }

  /** True while the log cannot keep up: producers of deltas then wait with `commit`. */
  get congested(): boolean {
    return this.#pending.length > PENDING_ITEMS_MAX;
  }

  /** Error that ended the bus early. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Returns events with an id above `since` from the log, then live ones; without `since` only live ones. The
   * subscription starts now, even if reading begins later, and ends with the signal, even if it is never read.
   *
   * @param person set if a person reads it: events outside the log to deliver first.
   */
  subscribe(
    since: EventSeq | undefined,
    signal: AbortSignal,
    person?: readonly Event[],
  ): AsyncGenerator<Envelope> {
    const { store, logId, session, clock } = this.#options;
    const now = () => new Date(clock.now()).toISOString();
    const subscriber = new Subscriber({ store, logId, session, now }, since ?? this.#last, this.#last);
    const leave = () => {
      this.#subscribers.delete(subscriber);
      this.#people.delete(subscriber);
    };
    if (this.#over || this.#failure !== undefined) subscriber.end(this.#failure);
    else if (!signal.aborted) {
      this.#subscribers.add(subscriber);
      if (person !== undefined) this.#people.add(subscriber);
    }
    for (const event of person ?? []) subscriber.deliverAside(event);
    signal.addEventListener("abort", leave, { once: true });
    return subscriber.read(signal, leave);
  }

  /** Number of people who subscribe now. */
  get people(): number {
    return this.#people.size;
  }

  /** Sends an event to every person who subscribes now; it is not logged. Returns their number. */
  notifyPeople(event: Event): number {
    for (const subscriber of this.#people) subscriber.deliverAside(event);
    return this.#people.size;
  }

  /** Writes the rest and ends every subscription. */
  async close(): Promise<void> {
    if (this.#over) return;
    try {
      if (this.#failure === undefined) await this.commit("power");
    } finally {
      this.#over = true;
      this.#stopTimers();
      for (const subscriber of this.#subscribers) subscriber.end(this.#failure);
    }
  }

  #flushSoon(): void {
    this.#isUrgent = true;
    if (this.#flushQueued) return;
    this.#flushQueued = true;
    void this.#flushAfterStep();
  }

  /** Events of one engine step share a transaction: an answer, its cost, its call. */
  async #flushAfterStep(): Promise<void> {
    for (let hop = 0; hop < STEP_MICROTASKS; hop++) await undefined;
    this.#flushQueued = false;
    this.#flush();
  }

  #flushLater(): void {
    this.#timer ??= this.#options.clock.timer(DELTA_FLUSH_MS, () => {
      this.#timer = undefined;
      this.#flush();
    });
  }

  #flushWithRound(): void {
    this.#roundTimer ??= this.#options.clock.timer(ROUND_FLUSH_MS, () => {
      this.#roundTimer = undefined;
      this.#flush();
    });
  }

  #stopTimers(): void {
    this.#timer?.[Symbol.dispose]();
    this.#roundTimer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#roundTimer = undefined;
  }

  #flush(): void {
    if (this.#writing !== undefined || this.#pending.length === 0 || this.#failure !== undefined) return;
    // A failure is kept in #failure and reaches the next caller and every subscriber.
    this.#write().catch(() => undefined);
  }

  #write(): Promise<void> {
    const durability = this.#powerWanted ? "power" : "process";
    this.#powerWanted = false;
    this.#stopTimers();
    this.#isUrgent = false;
    const items = this.#pending;
    this.#pending = [];
    this.#writingOwed = items.some(isOwed);
    this.#writing = this.#append(items, durability).finally(() => {
      this.#writing = undefined;
      this.#writingOwed = false;
      const isTimed = this.#timer !== undefined || this.#roundTimer !== undefined;
      if (this.#pending.length > 0 && (this.#isUrgent || !isTimed)) this.#flushSoon();
    });
    return this.#writing;
  }

  async #append(items: readonly Item[], durability: Durability): Promise<void> {
    const { clock, writer } = this.#options;
    const batch = this.#number(items);
    const startMs = clock.monotonic();
    try {
      await writer.append(batch, durability);
    } catch (thrown) {
      throw this.#fail(thrown);
    }
    this.#written += 1;
    if (durability === "power") this.#synced = this.#written;
    this.#writeMs += clock.monotonic() - startMs;
    if (batch.events.length === 0) return;
    this.#last = batch.events.at(-1)?.id ?? this.#last;
    for (const subscriber of this.#subscribers) subscriber.deliver(batch.events);
  }

  #fail(thrown: unknown): Error {
    this.#failure ??= asError(thrown);
    for (const subscriber of this.#subscribers) subscriber.end(this.#failure);
    return this.#failure;
  }

  /** Assigns ids to events and positions to messages. */
  #number(
    items: readonly Item[],
  ): Required<Omit<Batch, "reserve">> & { readonly events: readonly Envelope[] } {
    const events: Envelope[] = [];
    const messages: StoredMessage[] = [];
    const intents: Intent[] = [];
    const outcomes: CallOutcome[] = [];
    let id = this.#last;
    for (const item of items) {
      switch (item.kind) {
        case "event":
          id += 1;
          events.push(envelope(id, this.#options.session, item));
          break;
        case "message":
          messages.push({
            after: id,
            turn: item.turn,
            message: item.message,
            ...(item.boundary ? { boundary: true } : {}),
          });
          break;
        case "intent":
          intents.push(item.intent);
          break;
        case "outcome":
          outcomes.push(item.outcome);
          break;
      }
    }
    assert(Number.isSafeInteger(id), "event ids stay below 2^53");
    return { events, messages, intents, outcomes };
  }

  #assertOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
    assert(!this.#over, "nothing is published after the end of a session");
  }
}

function envelope(id: EventSeq, session: SessionId, item: Extract<Item, { kind: "event" }>): Envelope {
  return {
    id,
    kind: item.event.kind,
    session,
    ...item.origin,
    ts: item.ts,
    payload: item.event.payload,
  } as Envelope;
}

function isOwed(item: Item): boolean {
  return item.kind === "outcome" && item.mutating;
}

/** Returns true for an event of a round or of the end of a turn that is written with those that follow it. */
function mayWait({ kind }: Event): boolean {
  return (
    kind === "CostIncremented" || kind === "ToolCallStarted" || kind === "ToolResult" || kind === "TurnTiming"
  );
}

function isDelta(event: Event): boolean {
  return event.kind === "TextDelta" || event.kind === "ThinkingDelta" || event.kind === "ToolCallProgress";
}
