import { assert } from "../../base/assert.ts";
import { asError } from "../../base/errors.ts";
import type { CallId, EventSeq, LogId, SessionId } from "../../base/ids.ts";
import type { Clock } from "../../base/world.ts";
import type { Envelope } from "../../protocol/events/envelope.ts";
import type { Event } from "../../protocol/events/events.ts";
import type { Message } from "../../protocol/message.ts";
import type {
  CallOutcome,
  Durability,
  Intent,
  SessionStore,
  SessionWriter,
} from "../../session/store/store.ts";
import type { ArgsDelta, ArgsSource } from "./args-delta.ts";
import { ClientNames } from "./client-names.ts";
import type { DeltaEvent } from "./delta.ts";
import { isDelta, WaitingDelta } from "./delta.ts";
import type { EventOrigin } from "./origin.ts";
import type { BusItem } from "./pending.ts";
import { numbered, PendingItems } from "./pending.ts";
import type { Redaction } from "./redaction.ts";
import { Reservation } from "./reservation.ts";
import { Subscriber } from "./subscriber.ts";

/**
 * Shortest time between two shown deltas of a block. It is below `BATCH_MS` of an answer's bytes: what waited there is
 * shown at once, so no delta waits for both, and with the transport it takes 20 ms at most.
 */
export const DELTA_FLUSH_MS = 14;

/** Longest time that a delta is shown and not in the log. */
export const DELTA_LOG_MS_MAX = 250;

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
  /** Called when the first subscriber comes that can answer questions, and when the last one leaves. */
  readonly onAnswerable?: () => void;
}

/** A subscriber, as the bus distinguishes them. */
export interface BusReader {
  /** Set if a person reads it: events outside the log to deliver first. */
  readonly person?: readonly Event[];
  /** Set if it can answer questions of the session. */
  readonly answers?: true;
  /** See `SubscribeOptions`. */
  readonly deltasMayWait?: boolean;
  /** See `SubscribeOptions`. */
  readonly args?: boolean;
}

/**
 * The events of one session: each is appended to the log, then published, in one order for all subscribers ([A] §
 * seam 3). Ids rise over all runs of a log, with holes only behind crashes, which a `StreamGap` names. Items published
 * while a batch is being written form the next one (group commit).
 *
 * Deltas are shown from memory, if no event before them is unwritten and their ids are reserved: the first of a block
 * at once, later ones merged and within `DELTA_FLUSH_MS`. They are logged as they were shown, with the next other item
 * or after `DELTA_LOG_MS_MAX` (decision 0019).
 *
 * A log that cannot be written ends the bus: every waiting and later call throws that error, and so does every
 * subscription, after the events that were written.
 */
export class Bus {
  /** The clients that act in the session: events name them as they are noted here. */
  readonly clients: ClientNames;
  readonly #options: BusOptions;
  readonly #subscribers = new Set<Subscriber>();
  /** Subscribers that are people, who also get events outside the log. */
  readonly #people = new Set<Subscriber>();
  /** Subscribers that can answer questions. */
  readonly #answering = new Set<Subscriber>();
  /** Subscribers that ask for the arguments of calls as they come. */
  readonly #argsReaders = new Set<Subscriber>();
  /** Calls that models write, for subscribers that begin to ask in the middle of one. */
  readonly #argsSources = new Set<ArgsSource>();
  /** Subscribers to whom deltas must not come late. */
  readonly #watchers = new Set<Subscriber>();
  readonly #pending: PendingItems;
  readonly #reservation: Reservation;
  readonly #begunCalls = new Set<CallId>();
  /** Events that subscribers have and the log may not have. */
  #unlogged: Envelope[] = [];
  /** The newest event in the log, and the newest one that subscribers have. */
  #last: EventSeq;
  #shown: EventSeq;
  #shownAtMs = Number.NEGATIVE_INFINITY;
  #lastKind = "";
  #writing: Promise<void> | undefined;
  /** True while events are being written that subscribers do not have: no later one overtakes them. */
  #writingUnseen = false;
  /** True while the outcome of a call that may have changed something is being written. */
  #writingOwed = false;
  /** True while the start of a turn is being written. */
  #writingInput = false;
  /** Settles with the write of what is pending. */
  #nextWrite: PromiseWithResolvers<void> | undefined;
  #showTimer: Disposable | undefined;
  #writeTimer: WriteTimer | undefined;
  #flushQueued = false;
  /** True if something waits that is to be written as soon as the batch before it. */
  #isUrgent = false;
  #failure: Error | undefined;
  /** True if the next batch must survive a power loss. */
  #powerWanted = false;
  /** Number of batches in the log, and of those that survive a power loss. */
  #written = 0;
  #synced = 0;
  #writeMs = 0;
  #over = false;
  /** The gap that this run began with, once subscribers have it. */
  #crashGap: Envelope | undefined;
  #hadTurn = false;
  #onWritten: () => void = () => undefined;

  constructor(options: BusOptions) {
    const { session, writer } = options;
    const { lastEvent, reserved } = writer;
    this.#options = options;
    this.clients = new ClientNames(options.redaction);
    this.#pending = new PendingItems(session);
    this.#reservation = new Reservation(reserved);
    this.#last = lastEvent;
    this.#shown = lastEvent;
    if (reserved === undefined || reserved <= lastEvent) return;
    this.#pending.add({ kind: "gap", range: { from: lastEvent + 1, to: reserved }, ts: this.#now() });
    this.#flushSoon();
  }

  get session(): SessionId {
    return this.#options.session;
  }

  /** The newest event in the log. */
  get lastEvent(): EventSeq {
    return this.#last;
  }

  /** The newest event that subscribers have: a delta may be shown before it is in the log. */
  get lastShown(): EventSeq {
    return this.#shown;
  }

  /** Milliseconds spent writing the log so far. */
  get writeMs(): number {
    return this.#writeMs;
  }

  /** Publishes an event. Unless it is a delta, it is in the log before any client sees it; `commit` waits for that. */
  publish(published: Event, origin: EventOrigin = {}): void {
    this.#assertOpen();
    const event = this.#options.redaction.event(published);
    if (event === undefined) return;
    const isFirst = event.kind !== this.#lastKind;
    this.#lastKind = event.kind;
    if (isDelta(event)) {
      this.#publishDelta(event, origin, isFirst);
      return;
    }
    if (origin.parentCall === undefined) {
      if (event.kind === "TurnStarted") this.#turnStarted();
      if (event.kind === "TurnEnded") this.#reservation.turnEnded();
    }
    this.#pending.add({ kind: "event", event: this.clients.named(event), origin, ts: this.#now() });
    if (mayWait(event)) this.#writeWithin(ROUND_FLUSH_MS);
    else this.#flushSoon();
  }

  #turnStarted(): void {
    this.#reservation.turnStarted();
    this.#hadTurn = true;
  }

  /** Adds a redacted message to the stored history, at its position among the events. */
  remember(message: Message, turn: number, boundary = false): void {
    this.#assertOpen();
    this.#pending.add({ kind: "message", message, turn, boundary });
    this.#writeWithin(ROUND_FLUSH_MS);
  }

  /** Records that a call is about to run. `commit` waits for the log; without it, the log has it soon. */
  intend(intent: Intent): void {
    this.#assertOpen();
    this.#begunCalls.add(intent.callId);
    const summary = this.#options.redaction.text(intent.summary);
    this.#pending.add({ kind: "intent", intent: { ...intent, summary } });
    this.#writeWithin(ROUND_FLUSH_MS);
  }

  /** Returns, once, true if a call was about to run: a call that ended before that had no effect. */
  takeBegun(callId: CallId): boolean {
    return this.#begunCalls.delete(callId);
  }

  /** Records how a call ended: with the events that follow, or within `ROUND_FLUSH_MS`. */
  conclude(outcome: CallOutcome, { mutating }: Pick<Intent, "mutating">): void {
    this.#assertOpen();
    this.#pending.add({ kind: "outcome", outcome, mutating });
    this.#writeWithin(ROUND_FLUSH_MS);
  }

  /** Resolves when the log has the outcome of every call so far that may have changed something. */
  async commitOutcomes(): Promise<void> {
    if (this.#pending.has(isOwed)) return await this.commit("process");
    if (this.#writingOwed) await this.#writing;
    this.#assertOpen();
  }

  /** Resolves when the log has every input so far that started a turn. */
  async commitInputs(): Promise<void> {
    if (this.#pending.has(isInput)) return await this.commit("process");
    if (this.#writingInput) await this.#writing;
    this.#assertOpen();
  }

  /**
   * Resolves when everything published so far survives a power loss. Unlike `commit` it writes nothing itself: the
   * batch waits for the request of its turn to leave, or `ROUND_FLUSH_MS`.
   */
  async durable(): Promise<void> {
    this.#assertOpen();
    if (this.#pending.length > 0) {
      this.#nextWrite ??= Promise.withResolvers();
      await this.#nextWrite.promise;
    } else await this.#writing;
    if (!this.#isClosed()) await this.sync();
  }

  /** Resolves when everything published so far is in the log and was delivered to the subscribers. */
  async commit(durability: Durability): Promise<void> {
    this.#assertOpen();
    this.#powerWanted ||= durability === "power";
    while (this.#writing !== undefined) await this.#writing;
    if (this.#isClosed()) return;
    if (this.#hasWork) await this.#write();
    else this.#powerWanted = false;
    if (durability === "power" && !this.#isClosed()) await this.sync();
    this.#throwFailure();
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
    this.#markSynced(batches);
  }

  async #syncByBatch(batches: number): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#isClosed() || this.#synced >= batches) return;
    this.#powerWanted = true;
    await this.#write();
  }

  /** Returns true if the session ended during a wait: then everything is in the log and safe from a power loss. */
  #isClosed(): boolean {
    this.#throwFailure();
    return this.#over;
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure;
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
   * Returns events with an id above `since`, first from the log, then live ones. Without `since` only live ones, and
   * before the first turn of a run that follows a crash, its `StreamGap` first. The subscription starts now, even if
   * reading begins later, and ends with the signal, even if it is never read.
   */
  subscribe(
    since: EventSeq | undefined,
    signal: AbortSignal,
    { person, answers, deltasMayWait, args }: BusReader = {},
  ): AsyncGenerator<Envelope> {
    const { store, logId, session } = this.#options;
    const log = { store, logId, session, now: () => this.#now(), unlogged: () => this.#unlogged };
    const subscriber = new Subscriber(log, since ?? this.#shown, this.#shown);
    const leave = () => {
      this.#subscribers.delete(subscriber);
      this.#people.delete(subscriber);
      this.#watchers.delete(subscriber);
      this.#argsReaders.delete(subscriber);
      if (this.#answering.delete(subscriber) && !this.isAnswerable) this.#options.onAnswerable?.();
    };
    if (this.#over || this.#failure !== undefined) subscriber.end(this.#failure);
    else if (!signal.aborted) {
      this.#subscribers.add(subscriber);
      if (person !== undefined) this.#people.add(subscriber);
      if (deltasMayWait !== true) this.#watchers.add(subscriber);
      if (args === true) this.#addArgsReader(subscriber);
      if (answers === true) this.#answering.add(subscriber);
      if (answers === true && this.#answering.size === 1) this.#options.onAnswerable?.();
    }
    if (since === undefined && !this.#hadTurn && this.#crashGap !== undefined)
      subscriber.deliverFirst(this.#crashGap);
    for (const event of person ?? []) subscriber.deliverAside(event);
    signal.addEventListener("abort", leave, { once: true });
    return subscriber.read(signal, leave);
  }

  /** Calls `run` after each batch that has more than deltas, once subscribers have it. */
  onWritten(run: () => void): void {
    this.#onWritten = run;
  }

  /** Number of people who subscribe now. */
  get people(): number {
    return this.#people.size;
  }

  /** True if somebody is subscribed who can answer questions. */
  get isAnswerable(): boolean {
    return this.#answering.size > 0;
  }

  /** True if a subscriber wants each delta as soon as it comes. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** True if a subscriber asks for the arguments of calls as they come. */
  get isArgsWanted(): boolean {
    return this.#argsReaders.size > 0;
  }

  #addArgsReader(subscriber: Subscriber): void {
    this.#argsReaders.add(subscriber);
    for (const { origin, shown } of this.#argsSources)
      for (const event of shown()) subscriber.deliverArgs(event, origin);
  }

  /** Adds the calls that a model writes: who begins to ask gets what was shown of them. */
  addArgsSource(source: ArgsSource): Disposable {
    this.#argsSources.add(source);
    return { [Symbol.dispose]: () => void this.#argsSources.delete(source) };
  }

  /** Sends a redacted piece of a call's arguments to those who ask. Pieces that wait for a slow reader are joined. */
  notifyArgs(event: ArgsDelta, origin: EventOrigin): void {
    for (const subscriber of this.#argsReaders) subscriber.deliverArgs(event, origin);
  }

  /** Sends a redacted event to every subscriber; it is not logged, and a slow reader may miss it. */
  notify(event: Event, origin: EventOrigin): void {
    for (const subscriber of this.#subscribers) subscriber.deliverAside(event, origin);
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
      this.#reservation.turnEnded(); // a turn that never began may have left it held
      if (this.#failure === undefined) await this.commit("power");
    } finally {
      this.#over = true;
      this.#stopTimers();
      for (const subscriber of this.#subscribers) subscriber.end(this.#failure);
    }
  }

  get #hasWork(): boolean {
    return this.#pending.length > 0 || this.#reservation.isOwed(this.#last);
  }

  #publishDelta(event: DeltaEvent, origin: EventOrigin, isFirst: boolean): void {
    if (this.#pending.merge(event, origin)) return;
    this.#pending.add(new WaitingDelta(event, origin, this.#now()));
    const waitMs = isFirst ? 0 : this.#shownAtMs + DELTA_FLUSH_MS - this.#options.clock.monotonic();
    if (waitMs <= 0) this.#show();
    else
      this.#showTimer ??= this.#options.clock.timer(waitMs, () => {
        this.#showTimer = undefined;
        this.#show();
      });
  }

  /** Shows the deltas in front that are reserved. Others are shown once they are written. */
  #show(): void {
    if (this.#writingUnseen || this.#failure !== undefined) return;
    const events: Envelope[] = [];
    for (
      let next = this.#pending.nextDelta;
      next !== undefined && this.#shown < this.#reservation.safe;
      next = this.#pending.nextDelta
    ) {
      this.#shown += 1;
      events.push(this.#pending.showNext(next, this.#shown));
    }
    if (events.length > 0) {
      this.#shownAtMs = this.#options.clock.monotonic();
      this.#unlogged.push(...events);
      for (const subscriber of this.#subscribers) subscriber.deliver(events);
      this.#writeWithin(DELTA_LOG_MS_MAX);
    }
    if (this.#pending.waitingDeltas > 0) this.#flushSoon();
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

  #writeWithin(ms: number): void {
    const { clock } = this.#options;
    const dueMs = clock.monotonic() + ms;
    if (this.#writeTimer !== undefined && this.#writeTimer.dueMs <= dueMs) return;
    this.#writeTimer?.timer[Symbol.dispose]();
    const timer = clock.timer(ms, () => {
      this.#writeTimer = undefined;
      this.#isUrgent = true;
      this.#flush();
    });
    this.#writeTimer = { dueMs, timer };
  }

  #flush(): void {
    if (this.#writing !== undefined || !this.#hasWork || this.#failure !== undefined) return;
    // A failure is kept in #failure and reaches the next caller and every subscriber.
    this.#write().catch(() => undefined);
  }

  #write(): Promise<void> {
    this.#show();
    const durability = this.#powerWanted ? "power" : "process";
    this.#powerWanted = false;
    this.#stopTimers();
    this.#isUrgent = false;
    const items = this.#pending.take();
    this.#writingOwed = items.some(isOwed);
    this.#writingInput = items.some(isInput);
    const waiting = this.#nextWrite;
    this.#nextWrite = undefined;
    const writing = this.#append(items, durability);
    if (waiting !== undefined) writing.then(waiting.resolve, waiting.reject);
    this.#writing = writing.finally(() => {
      this.#writing = undefined;
      this.#writingUnseen = false;
      this.#writingOwed = false;
      this.#writingInput = false;
      if (this.#showTimer === undefined) this.#show();
      if (this.#isUrgent && this.#pending.length > 0) this.#flushSoon();
    });
    return this.#writing;
  }

  async #append(items: readonly BusItem[], durability: Durability): Promise<void> {
    const { clock, session, writer } = this.#options;
    const { batch, unseen, last } = numbered(items, session, this.#last);
    this.#writingUnseen = unseen.length > 0;
    const reserve = this.#reservation.next(last);
    const startMs = clock.monotonic();
    try {
      await writer.append(reserve === undefined ? batch : { ...batch, reserve }, durability);
    } catch (thrown) {
      throw this.#fail(thrown);
    }
    this.#written += 1;
    this.#reservation.written(this.#written);
    if (durability === "power") this.#markSynced(this.#written);
    else if (reserve !== undefined && this.#reservation.safe > 0) this.#syncAside();
    this.#writeMs += clock.monotonic() - startMs;
    this.#last = last;
    this.#unlogged = this.#unlogged.slice(batch.events.length - unseen.length);
    if (unseen.length > 0) {
      this.#shown = last;
      this.#shownAtMs = clock.monotonic();
      if (items[0]?.kind === "gap") this.#crashGap = unseen[0];
      for (const subscriber of this.#subscribers) subscriber.deliver(unseen);
    }
    if (!items.every(isPieceOfAnswer)) this.#onWritten();
  }

  /** Makes a renewed reservation safe. The first of a turn needs no sync but that of its input. */
  #syncAside(): void {
    // A failure is kept in #failure and reaches the next caller and every subscriber.
    this.sync().catch(() => undefined);
  }

  #markSynced(batches: number): void {
    this.#synced = Math.max(this.#synced, batches);
    this.#reservation.synced(this.#synced);
  }

  #fail(thrown: unknown): Error {
    this.#failure ??= asError(thrown);
    this.#nextWrite?.reject(this.#failure);
    for (const subscriber of this.#subscribers) subscriber.end(this.#failure);
    return this.#failure;
  }

  #stopTimers(): void {
    this.#showTimer?.[Symbol.dispose]();
    this.#showTimer = undefined;
    this.#writeTimer?.timer[Symbol.dispose]();
    this.#writeTimer = undefined;
  }

  #now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }

  #assertOpen(): void {
    if (this.#failure !== undefined) throw this.#failure;
    assert(!this.#over, "nothing is published after the end of a session");
  }
}

interface WriteTimer {
  readonly dueMs: number;
  readonly timer: Disposable;
}

/**
 * Returns true for an event that is written with those that follow it, or when the next request has left: those of a
 * round, and the start and end of a turn.
 */
function mayWait({ kind }: Event): boolean {
  switch (kind) {
    case "TurnStarted":
    case "CostIncremented":
    case "ToolCallStarted":
    case "ToolResult":
    case "TurnTiming":
      return true;
    default:
      return false;
  }
}

function isPieceOfAnswer({ kind }: BusItem): boolean {
  return kind === "delta" || kind === "shown";
}

function isInput(item: BusItem): boolean {
  return item.kind === "event" && item.event.kind === "TurnStarted";
}

function isOwed(item: BusItem): boolean {
  return item.kind === "outcome" && item.mutating;
}
