import { assert } from "../base/assert.ts";
import { HarnessError } from "../base/errors.ts";
import type { CallId, EventSeq, LogId, SessionId } from "../base/ids.ts";
import type { Machine } from "../base/world.ts";
import type { Envelope } from "../protocol/envelope.ts";
import { checkBatch, factsOf } from "./log-facts.ts";
import type {
  Batch,
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

interface MemoryLog {
  readonly start: NewLog;
  readonly sessions: SessionId[];
  info: Pick<LogInfo, "updatedAt" | "turns" | "title">;
  /** In order; may hold up to twice `EVENTS_KEPT_MAX` before the older half goes. */
  events: Envelope[];
  lastEvent: EventSeq;
  /** From the last compaction boundary on. */
  messages: StoredMessage[];
  /** Intents without an outcome. */
  readonly open: Map<CallId, Intent>;
  /** Calls with an outcome. */
  readonly done: Set<CallId>;
  epoch: number;
  holder: Holder | undefined;
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
    const { start, info, lastEvent } = log;
    const heldBy = livingHolder(log);
    const session = log.sessions.at(-1) ?? start.session;
    return { ...start, ...info, session, lastEvent, ...(heldBy === undefined ? {} : { heldBy }) };
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
      const living = livingHolder(log);
      if (living !== undefined) throw new HarnessError("LogHeld", { id: logId, pid: `${living.pid}` });
      addRun(log, session);
      return takeLease(log, holder);
    },

    async find(id) {
      for (const log of logs.values()) {
        if (log.start.logId === id || log.sessions.some((session) => session === id)) return infoOf(log);
      }
      return undefined;
    },

    async list({ workingDir, limit }) {
      return [...logs.values()]
        .filter(({ start }) => workingDir === undefined || start.workingDir === workingDir)
        .reverse()
        .map(infoOf)
        .sort((a, b) => compare(b.updatedAt, a.updatedAt))
        .slice(0, limit);
    },

    async events(logId, since, limit) {
      const { events } = mustFind(logId);
      const start = Math.max(0, since + 1 - (events[0]?.id ?? 1));
      return events.slice(start, start + limit);
    },

    async messages(logId) {
      return [...mustFind(logId).messages];
    },

    async orphans(logId) {
      const open = [...mustFind(logId).open.values()];
      return open.sort((a, b) => compare(a.startedAt, b.startedAt) || compare(a.callId, b.callId));
    },

    async [Symbol.asyncDispose]() {
      logs.clear();
    },
  };
}

function emptyLog(start: NewLog): MemoryLog {
  return {
    start,
    sessions: [],
    info: { updatedAt: start.createdAt, turns: 0, title: "" },
    events: [],
    lastEvent: 0,
    messages: [],
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
  log.events.push(...events);
  if (log.events.length > 2 * EVENTS_KEPT_MAX) log.events = log.events.slice(-EVENTS_KEPT_MAX);
  for (const message of messages) {
    if (message.boundary === true) log.messages = [];
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
  };
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
