import { assert } from "../../base/assert.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { Machine } from "../../base/world.ts";
import { isInRanges } from "./expired.ts";
import { orphanFinding } from "./findings.ts";
import { isWhole } from "./log-facts.ts";
import type { MemoryLog } from "./memory-log.ts";
import { emptyLog, eventsAbove, expireMemoryLog, isBoundary, takeMemoryLease } from "./memory-log.ts";
import type { Holder, LogInfo, SessionStore, StoreFinding } from "./store.ts";

/**
 * Returns a session store in memory: for the library façade, which has no log on disk, and for simulation. It keeps the
 * same promises as a store on disk, except that it does not survive the process.
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
      return takeMemoryLease(log, holder);
    },

    async open(logId, session, holder, now) {
      const log = mustFind(logId);
      if (!isWhole(log.start, log.lastEvent)) throw new HarnessError("SessionMissing", { id: logId });
      const living = livingHolder(log);
      if (living !== undefined) throw new HarnessError("LogHeld", { id: logId, pid: `${living.pid}` });
      addRun(log, session);
      if (now !== undefined) log.start = { ...log.start, ...now };
      return takeMemoryLease(log, holder);
    },

    async find(id) {
      for (const log of wholeLogs()) {
        if (log.start.logId === id || log.sessions.some((session) => session === id)) return infoOf(log);
      }
      return undefined;
    },

    async list({ workingDir, branchOf, contentBefore, begins, limit }) {
      return wholeLogs()
        .filter(({ sessions }) => begins === undefined || sessions.some((id) => beginsWith(id, begins)))
        .filter(({ start }) => workingDir === undefined || start.workingDir === workingDir)
        .filter(({ start }) => branchOf === undefined || start.branchOf?.logId === branchOf)
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

    async losses() {
      return []; // memory is lost with the process only
    },

    async lossesTold() {
      return; // there are none
    },

    async pin(logId, pinned) {
      mustFind(logId).pinned = pinned;
    },

    async expire(logId, beforeDay) {
      const log = mustFind(logId);
      if (log.pinned) return 0;
      const newest = log.days.at(-1)?.day ?? beforeDay;
      const isCut = livingHolder(log) !== undefined && newest < beforeDay;
      return expireMemoryLog(log, isCut ? newest : beforeDay);
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

function* openCalls({ start: { logId }, open }: MemoryLog): Generator<StoreFinding> {
  for (const intent of open.values()) yield orphanFinding(logId, intent);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function beginsWith(session: SessionId, beginning: string): boolean {
  return session.startsWith(beginning) || session.startsWith(`sess_${beginning}`);
}
