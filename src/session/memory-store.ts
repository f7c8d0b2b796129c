import { assert } from "../base/assert.ts";
import { HarnessError } from "../base/errors.ts";
import type { CallId, EventSeq, LogId, SessionId } from "../base/ids.ts";
import type { Machine } from "../base/world.ts";
import type { Envelope, EnvelopeOf } from "../protocol/envelope.ts";
import { expiredEvent, isInRanges, mergeRanges } from "./expired.ts";
import { orphanFinding } from "./findings.ts";
import { checkBatch, dayOf, factsOf, isWhole } from "./log-facts.ts";
import type {
  Batch,
  EventRange,
  Finding,
  Holder,
  Intent,
  LogInfo,
  NewLog,
  SessionStore,
  SessionWriter,
  StoredMessage,
} from "./store.ts";

/** Events kept of one log. Older ones are let go: `events` then starts above `since + 1`. */
const EVENTS_KEPT_MAX = 10_000;
/** Messages before the last compaction boundary that are kept of one log. */
const OLD_MESSAGES_KEPT_MAX = 2_000;

interface MemoryLog {
  readonly start: NewLog;
  readonly sessions: SessionId[];
  info: Pick<LogInfo, "updatedAt" | "turns" | "title" | "interrupted">;
  pinned: boolean;
  /** In order; may hold up to twice `EVENTS_KEPT_MAX` before the older half goes. */
  events: Envelope[];
  lastEvent: EventSeq;
  /** What was written on which day, in order, with the last event of each; what has expired is gone. */
  days: Day[];
  expired: readonly EventRange[];
  messages: StoredMessage[];
  readonly costs: EnvelopeOf<"CostIncremented">[];
  /** Where the last compaction boundary stands among them. */
  boundary: number;
  /** Intents without an outcome. */
  readonly open: Map<CallId, Intent>;
  /** Calls with an outcome. */
  readonly done: Set<CallId>;
  epoch: number;
  holder: Holder | undefined;
}

interface Day {
  /** As the newest event says it: there is no other clock here. */
  readonly day: string;
  readonly from: EventSeq;
  to: EventSeq;
}

/**
 * A session store that keeps nothing beyond this process: for the library façade, which has no log on disk, and for
 * simulation. It holds the same promises as a store on disk, but for surviving.
 */
export function memorySessionStore(machine: Pick<Machine, "isAlive">): SessionStore {
  const logs = new Map<LogId, MemoryLog>();

  function mustFind(logId: LogId): MemoryLog {
    const log = logs.get(logId);
    if (log === undefined) throw new HarnessError("SessionMissing", { id: logId });
    return log;
  }

  function livingHolder({ holder }: MemoryLog): Holder | undefined {
    return holder !== undefined && machine.isAlive(holder.pid, holder.processStart) ? holder : undefined;
  }

  function infoOf(log: MemoryLog): LogInfo {
    const { start, info, lastEvent, pinned } = log;
    const heldBy = livingHolder(log);
    const session = log.sessions.at(-1) ?? start.session;
    const oldestDay = log.days[0]?.day;
    return {
      ...start,
      ...info,
      session,
      lastEvent,
      pinned,
      ...(heldBy === undefined ? {} : { heldBy }),
      ...(oldestDay === undefined ? {} : { oldestDay }),
    };
  }

  function wholeLogs(): MemoryLog[] {
    return [...logs.values()].filter(({ start, lastEvent }) => isWhole(start, lastEvent));
  }

  function addRun(log: MemoryLog, session: SessionId): void {
    const known = [...logs.values()].some(({ sessions }) => sessions.includes(session));
    assert(!known, `the session id ${session} of a run is new`);
    log.sessions.push(session);
  }

  return {
    async create(start, holder) {
      assert(!logs.has(start.logId), `the log ${start.logId} is new`);
      const log = emptyLog(start);
      addRun(log, start.session);
      logs.set(start.logId, log);
      return takeLease(log, holder);
    },

    async open(logId, session, holder) {
      const log = mustFind(logId);
      if (!isWhole(log.start, log.lastEvent)) throw new HarnessError("SessionMissing", { id: logId });
      const living = livingHolder(log);
      if (living !== undefined) throw new HarnessError("LogHeld", { id: logId, pid: `${living.pid}` });
      addRun(log, session);
      return takeLease(log, holder);
    },

    async find(id) {
      for (const log of wholeLogs()) {
        if (log.start.logId === id || log.sessions.some((session) => session === id)) return infoOf(log);
      }
      return undefined;
    },

    async list({ workingDir, contentBefore, limit }) {
      return wholeLogs()
        .filter(({ start }) => workingDir === undefined || start.workingDir === workingDir)
        .filter(({ days: [oldest] }) => contentBefore === undefined || (oldest?.day ?? "~") < contentBefore)
        .reverse()
        .map(infoOf)
        .sort((a, b) => compare(b.updatedAt, a.updatedAt))
        .slice(0, limit);
    },

    async events(logId, since, limit) {
      const { events, expired } = mustFind(logId);
      const above = eventsAbove(events, since);
      if (expired.length === 0) return above.slice(0, limit);
      return above.filter(({ id }) => !isInRanges(id, expired)).slice(0, limit);
    },

    async markedEvents(logId, since, limit) {
      return eventsAbove(mustFind(logId).events, since).slice(0, limit);
    },

    async eventsBefore(logId, before, limit) {
      const upTo = mustFind(logId).events.filter(({ id }) => id <= before);
      return upTo.slice(Math.max(0, upTo.length - limit));
    },

    async messages(logId) {
      const { messages, boundary } = mustFind(logId);
      return messages.slice(boundary);
    },

    async messagesAt(logId, at) {
      const upTo = mustFind(logId).messages.filter(({ after }) => after <= at);
      return upTo.slice(Math.max(0, upTo.findLastIndex(isBoundary)));
    },

    async orphans(logId) {
      const open = [...mustFind(logId).open.values()];
      return open.sort((a, b) => compare(a.startedAt, b.startedAt) || compare(a.callId, b.callId));
    },

    async costs(logId, since) {
      const { start, costs } = mustFind(logId);
      const from = Math.max(since, start.branchOf?.at ?? 0);
      return costs.filter(({ id }) => id > from).map(({ payload }) => payload);
    },

    async expired(logId) {
      return mustFind(logId).expired;
    },

    async lastDay(beforeDay) {
      const days = [...logs.values()].flatMap((log) => log.days.map(({ day }) => day));
      return days
        .filter((day) => day < beforeDay)
        .sort()
        .at(-1);
    },

    async pin(logId, pinned) {
      mustFind(logId).pinned = pinned;
    },

    async expire(logId, beforeDay) {
      const log = mustFind(logId);
      return log.pinned || livingHolder(log) !== undefined ? 0 : expire(log, beforeDay);
    },

    async delete(logId) {
      const living = livingHolder(mustFind(logId));
      if (living !== undefined) throw new HarnessError("LogHeld", { id: logId, pid: `${living.pid}` });
      logs.delete(logId);
    },

    async maintain() {
      let branchesRemoved = 0;
      for (const [logId, log] of logs) {
        if (isWhole(log.start, log.lastEvent) || livingHolder(log) !== undefined) continue;
        logs.delete(logId);
        branchesRemoved += 1;
      }
      return { bytesBefore: 0, bytesAfter: 0, branchesRemoved };
    },

    async *check() {
      for (const log of logs.values()) if (livingHolder(log) === undefined) yield* openCalls(log);
    },

    async [Symbol.asyncDispose]() {
      logs.clear();
    },
  };
}

function* openCalls({ start: { logId }, open }: MemoryLog): Generator<Finding> {
  for (const intent of open.values()) yield orphanFinding(logId, intent);
}

function eventsAbove(events: readonly Envelope[], since: EventSeq): readonly Envelope[] {
  return events.slice(Math.max(0, since + 1 - (events[0]?.id ?? 1)));
}

function isBoundary({ boundary }: StoredMessage): boolean {
  return boundary === true;
}

/** Tells how many events lost their content. */
function expire(log: MemoryLog, beforeDay: string): number {
  const gone = log.days.filter(({ day }) => day < beforeDay);
  if (gone.length === 0) return 0;
  const isGone = (at: EventSeq) => isInRanges(at, gone);
  log.days = log.days.filter(({ day }) => day >= beforeDay);
  log.expired = mergeRanges([...log.expired, ...gone].sort((a, b) => a.from - b.from));
  log.events = log.events.map((event) => (isGone(event.id) ? expiredEvent(event) : event));
  log.messages = log.messages.filter(({ after }) => !isGone(after));
  log.boundary = Math.max(0, log.messages.findLastIndex(isBoundary));
  if (isGone(1)) log.info = { ...log.info, title: "" };
  for (const [callId, intent] of log.open) {
    if (dayOf(intent.startedAt) < beforeDay) log.open.delete(callId);
  }
  return gone.reduce((count, { from, to }) => count + to - from + 1, 0);
}

function emptyLog(start: NewLog): MemoryLog {
  return {
    start,
    sessions: [],
    info: { updatedAt: start.createdAt, turns: 0, title: "", interrupted: false },
    pinned: false,
    events: [],
    lastEvent: 0,
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

function takeLease(log: MemoryLog, holder: Holder): SessionWriter {
  const { logId } = log.start;
  log.holder = holder;
  log.epoch += 1;
  const epoch = log.epoch;
  let disposed = false;
  return {
    logId,
    epoch,
    lastEvent: log.lastEvent,
    async append(batch) {
      assert(!disposed, "a writer that was disposed appends nothing");
      if (log.epoch !== epoch) throw new HarnessError("LeaseLost", { id: logId });
      write(log, batch);
    },
    async [Symbol.asyncDispose]() {
      disposed = true;
      if (log.epoch === epoch) log.holder = undefined;
    },
  };
}

function write(log: MemoryLog, batch: Batch): void {
  const last = checkBatch(batch, log.lastEvent);
  const { events = [], messages = [], intents = [], outcomes = [] } = batch;
  checkCalls(log, batch);
  log.lastEvent = last;
  for (const event of events) {
    keepDay(log, event);
    if (event.kind === "CostIncremented") log.costs.push(event);
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
    log.done.add(callId);
  }
  const facts = factsOf(events);
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
}

/** Before anything is written, so that a batch is taken whole or not at all. */
function checkCalls(log: MemoryLog, { intents = [], outcomes = [] }: Batch): void {
  const open = new Set(log.open.keys());
  for (const { callId } of intents) {
    assert(!log.done.has(callId), `the call ${callId} has no outcome yet when it starts`);
    open.add(callId);
  }
  for (const { callId } of outcomes) {
    assert(open.delete(callId), `the call ${callId} has an intent and no outcome when it ends`);
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
