import { assert } from "../../base/assert.ts";
import { HarnessError } from "../../base/errors.ts";
import type { CallId, EventSeq, SessionId } from "../../base/ids.ts";
import type { Envelope, EnvelopeOf } from "../../protocol/events/envelope.ts";
import { expiredEvent, isInRanges, mergeRanges } from "./expired.ts";
import { checkBatch, dayOf, logFactsOf, modelChangeIn } from "./log-facts.ts";
import type { LogNumbers } from "./notes/log-numbers.ts";
import { NO_NUMBERS, numbersAfter } from "./notes/log-numbers.ts";
import type { MemoryLogNotes } from "./notes/memory-notes.ts";
import { emptyNotes, expireNotes } from "./notes/memory-notes.ts";
import type {
  Batch,
  EventRange,
  Holder,
  Intent,
  LogInfo,
  NewLog,
  SessionWriter,
  StoredMessage,
} from "./store.ts";

/** Events kept of one log. Older ones are dropped: `events` then starts above `since + 1`. */
const EVENTS_KEPT_MAX = 10_000;
/** Messages before the last compaction boundary that are kept of one log. */
const OLD_MESSAGES_KEPT_MAX = 2_000;
/** Calls with an outcome that are remembered of one log: a call that starts twice is a bug that shows soon. */
const DONE_KEPT_MAX = 10_000;
/** Costs kept individually; up to twice as many before the older half is added up. */
const COSTS_KEPT_MAX = 1_000;
/** Days kept individually; a clock that goes back and forth makes many. */
const DAYS_KEPT_MAX = 4_000;

/** One log of the store in memory. Its size does not grow with the number of turns. */
export interface MemoryLog {
  start: NewLog;
  readonly sessions: SessionId[];
  info: Pick<LogInfo, "updatedAt" | "turns" | "title" | "interrupted">;
  numbers: LogNumbers;
  readonly notes: MemoryLogNotes;
  pinned: boolean;
  /** In order; up to twice `EVENTS_KEPT_MAX` before the older half goes. */
  events: Envelope[];
  lastEvent: EventSeq;
  /** The last reserved id. */
  reserved: EventSeq;
  /** Days of writes, in order, with the last event of each; expired days are removed. */
  days: Day[];
  expired: readonly EventRange[];
  messages: StoredMessage[];
  /** In order; old ones are added up, one for each model. */
  costs: Cost[];
  /** Index of the last compaction boundary among them. */
  boundary: number;
  /** Intents without an outcome. */
  readonly open: Map<CallId, Intent>;
  /** Calls with an outcome. */
  readonly done: Set<CallId>;
  epoch: number;
  holder: Holder | undefined;
}

type Cost = Pick<EnvelopeOf<"CostIncremented">, "id" | "payload">;

interface Day {
  /** Day of the newest event: there is no other clock here. */
  readonly day: string;
  readonly from: EventSeq;
  to: EventSeq;
}

export function eventsAbove(events: readonly Envelope[], since: EventSeq): readonly Envelope[] {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.id ?? 0) > since) high = middle;
    else low = middle + 1;
  }
  return events.slice(low);
}

export function isBoundary({ boundary }: StoredMessage): boolean {
  return boundary === true;
}

/** Removes contents that were written before a day; returns the number of events that lost theirs. */
export function expireMemoryLog(log: MemoryLog, beforeDay: string): number {
  expireNotes(log.notes, beforeDay);
  const expiredDays = log.days.filter(({ day }) => day < beforeDay);
  if (expiredDays.length === 0) return 0;
  const isGone = (at: EventSeq) => isInRanges(at, expiredDays);
  log.days = log.days.filter(({ day }) => day >= beforeDay);
  log.expired = mergeRanges([...log.expired, ...expiredDays].sort((a, b) => a.from - b.from));
  log.events = log.events.map((event) => (isGone(event.id) ? expiredEvent(event) : event));
  log.messages = log.messages.filter(({ after }) => !isGone(after));
  log.boundary = Math.max(0, log.messages.findLastIndex(isBoundary));
  if (isGone(1)) log.info = { ...log.info, title: "" };
  for (const [callId, intent] of log.open) {
    if (dayOf(intent.startedAt) < beforeDay) log.open.delete(callId);
  }
  return expiredDays.reduce((count, { from, to }) => count + to - from + 1, 0);
}

export function emptyLog(start: NewLog): MemoryLog {
  return {
    start,
    sessions: [],
    info: { updatedAt: start.createdAt, turns: 0, title: "", interrupted: false },
    numbers: NO_NUMBERS,
    notes: emptyNotes(),
    pinned: false,
    events: [],
    lastEvent: 0,
    reserved: 0,
    days: [],
    expired: [],
    messages: [],
    costs: [],
    boundary: 0,
    open: new Map(),
    done: new Set(),
    epoch: 0,
    holder: undefined,
  };
}

export function takeMemoryLease(log: MemoryLog, holder: Holder): SessionWriter {
  const { logId } = log.start;
  log.holder = holder;
  log.epoch += 1;
  const { epoch, reserved } = log;
  let disposed = false;
  return {
    logId,
    epoch,
    lastEvent: log.lastEvent,
    reserved,
    async append(batch) {
      assert(!disposed, "a writer that was disposed appends nothing");
      if (log.epoch !== epoch) throw new HarnessError("LeaseLost", { id: logId });
      write(log, batch, reserved);
    },
    async [Symbol.asyncDispose]() {
      disposed = true;
      if (log.epoch === epoch) log.holder = undefined;
    },
  };
}

function write(log: MemoryLog, batch: Batch, reserved: EventSeq): void {
  const last = checkBatch(batch, { lastEvent: log.lastEvent, reserved });
  const { events = [], messages = [], intents = [], outcomes = [] } = batch;
  checkCalls(log, batch);
  log.lastEvent = last;
  log.reserved = batch.reserve ?? log.reserved;
  for (const event of events) {
    keepDay(log, event);
    if (event.kind === "CostIncremented") keepCost(log, event);
  }
  log.events.push(...events);
  if (log.events.length > 2 * EVENTS_KEPT_MAX) log.events = log.events.slice(-EVENTS_KEPT_MAX);
  for (const message of messages) {
    if (isBoundary(message)) {
      log.messages = log.messages.slice(-OLD_MESSAGES_KEPT_MAX);
      log.boundary = log.messages.length;
    }
    log.messages.push(message);
  }
  for (const intent of intents) {
    const before = log.open.get(intent.callId);
    log.open.set(intent.callId, before === undefined ? intent : { ...before, startedAt: intent.startedAt });
  }
  for (const { callId } of outcomes) {
    log.open.delete(callId);
    keepDone(log, callId);
  }
  log.numbers = numbersAfter(log.numbers, events, log.start.branchOf?.at ?? 0);
  log.start = { ...log.start, ...modelChangeIn(events) };
  const facts = logFactsOf(events);
  if (facts === undefined) return;
  log.info = {
    updatedAt: facts.updatedAt,
    turns: facts.turn ?? log.info.turns,
    title: log.info.title === "" ? (facts.title ?? "") : log.info.title,
    interrupted: facts.isTurnOpen,
  };
}

function keepDay(log: MemoryLog, { id, ts }: Envelope): void {
  const day = dayOf(ts);
  const last = log.days.at(-1);
  if (last?.day === day) last.to = id;
  else log.days.push({ day, from: id, to: id });
  const [first, second, ...others] = log.days.length > DAYS_KEPT_MAX ? log.days : [];
  if (first === undefined || second === undefined) return;
  // Both count as the later one: nothing is destroyed too early.
  log.days = [
    { day: first.day > second.day ? first.day : second.day, from: first.from, to: second.to },
    ...others,
  ];
}

function keepCost(log: MemoryLog, { id, payload }: Cost): void {
  log.costs.push({ id, payload });
  if (log.costs.length <= 2 * COSTS_KEPT_MAX) return;
  const old = log.costs.slice(0, -COSTS_KEPT_MAX);
  log.costs = [...addedUp(old), ...log.costs.slice(-COSTS_KEPT_MAX)];
}

/** Adds up costs: one for each model, and one more for unknown prices, which never count as zero. */
function addedUp(costs: readonly Cost[]): readonly Cost[] {
  const sums = new Map<string, Cost>();
  for (const { id, payload } of costs) {
    const { provider, model, usd } = payload;
    const key = JSON.stringify([provider, model, usd === null]);
    const sum = sums.get(key)?.payload;
    sums.delete(key); // the one of the newest event goes last
    const { turn: _turn, ...whole } = payload;
    sums.set(key, { id, payload: sum === undefined ? whole : bothOf(sum, whole) });
  }
  return [...sums.values()];
}

function bothOf(one: Cost["payload"], other: Cost["payload"]): Cost["payload"] {
  return {
    ...other,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: (one.cacheReadTokens ?? 0) + (other.cacheReadTokens ?? 0),
    cacheWriteTokens: (one.cacheWriteTokens ?? 0) + (other.cacheWriteTokens ?? 0),
    usd: one.usd === null || other.usd === null ? null : one.usd + other.usd,
  };
}

function keepDone({ done }: MemoryLog, callId: CallId): void {
  done.add(callId);
  const [oldest] = done;
  if (done.size > DONE_KEPT_MAX && oldest !== undefined) done.delete(oldest);
}

/** Called before anything is written, so that a batch is written whole or not at all. */
function checkCalls(log: MemoryLog, { intents = [], outcomes = [] }: Batch): void {
  const open = new Set(log.open.keys());
  for (const { callId, mutating } of intents) {
    // A call that only reads is run again if the process ended before its result was written.
    assert(!mutating || !log.done.has(callId), `the call ${callId} has no outcome yet when it starts`);
    open.add(callId);
  }
  for (const { callId } of outcomes) {
    assert(open.delete(callId), `the call ${callId} has an intent and no outcome when it ends`);
  }
}
