import { assert } from "../../base/assert.ts";
import { defined } from "../../base/defined.ts";
import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { Machine } from "../../base/world.ts";
import { isInRanges } from "./expired.ts";
import { orphanFinding } from "./findings.ts";
import { isWhole } from "./log-facts.ts";
import type { MemoryLog } from "./memory-log.ts";
import { emptyLog, eventsAbove, expireMemoryLog, isBoundary, takeMemoryLease } from "./memory-log.ts";
import { memoryNotes } from "./notes/memory-notes.ts";
import type { Holder, LogInfo, SessionStore, StoreFinding } from "./store.ts";

/** The logs of a store in memory, and the processes that hold them. */
class MemoryLogs {
  readonly all = new Map<LogId, MemoryLog>();
  readonly #machine: Pick<Machine, "isAlive">;

  constructor(machine: Pick<Machine, "isAlive">) {
    this.#machine = machine;
  }

  /** @throws HarnessError SessionMissing. */
  mustFind(logId: LogId): MemoryLog {
    const log = this.all.get(logId);
    if (log === undefined) throw new HarnessError("SessionMissing", { id: logId });
    return log;
  }

  livingHolder({ holder }: MemoryLog): Holder | undefined {
    return holder !== undefined && this.#machine.isAlive(holder.pid, holder.processStart)
      ? holder
      : undefined;
  }

  /** @throws HarnessError LogHeld if a living process holds the log. */
  assertFree(log: MemoryLog): void {
    const living = this.livingHolder(log);
    if (living !== undefined)
      throw new HarnessError("LogHeld", { id: log.start.logId, pid: `${living.pid}` });
  }

  infoOf(log: MemoryLog): LogInfo {
    const { start, info, numbers, lastEvent, pinned } = log;
    const { archived } = log.notes;
    const title = log.notes.title?.text;
    const heldBy = this.livingHolder(log);
    const session = log.sessions.at(-1) ?? start.session;
    const oldestDay = log.days[0]?.day;
    const reserved = log.reserved > lastEvent ? log.reserved : undefined;
    return {
      ...start,
      ...info,
      ...(title === undefined ? {} : { title, renamed: true }),
      ...{ numbers, archived },
      session,
      lastEvent,
      pinned,
      ...defined({ heldBy, oldestDay, reserved }),
    };
  }

  /** Returns the logs without branches that broke off. */
  whole(): MemoryLog[] {
    return [...this.all.values()].filter(({ start, lastEvent }) => isWhole(start, lastEvent));
  }

  addRun(log: MemoryLog, session: SessionId): void {
    const known = [...this.all.values()].some(({ sessions }) => sessions.includes(session));
    assert(!known, `the session id ${session} of a run is new`);
    log.sessions.push(session);
  }
}

/**
 * Returns a session store in memory: for the library façade, which has no log on disk, and for simulation. It keeps the
 * same promises as a store on disk, except that it does not survive the process.
 */
export function memorySessionStore(machine: Pick<Machine, "isAlive">): SessionStore {
  const logs = new MemoryLogs(machine);
  return {
    ...logLeases(logs),
    ...logLookups(logs),
    ...eventReads(logs),
    ...historyReads(logs),
    ...logUpkeep(logs),
    ...damageChecks(logs),
    notes: memoryNotes(
      (logId) => logs.mustFind(logId),
      () => [...logs.all],
    ),
    async [Symbol.asyncDispose]() {
      logs.all.clear();
    },
  };
}

/** Returns the operations that take a log's lease. */
function logLeases(logs: MemoryLogs): Pick<SessionStore, "create" | "open"> {
  return {
    async create(start, holder) {
      assert(!logs.all.has(start.logId), `the log ${start.logId} is new`);
      const log = emptyLog(start);
      logs.addRun(log, start.session);
      logs.all.set(start.logId, log);
      return takeMemoryLease(log, holder);
    },

    async open(logId, session, holder, now) {
      const log = logs.mustFind(logId);
      if (!isWhole(log.start, log.lastEvent)) throw new HarnessError("SessionMissing", { id: logId });
      logs.assertFree(log);
      logs.addRun(log, session);
      if (now !== undefined) log.start = { ...log.start, ...now };
      return takeMemoryLease(log, holder);
    },
  };
}

/** Returns the operations that find logs. */
function logLookups(logs: MemoryLogs): Pick<SessionStore, "find" | "list"> {
  return {
    async find(id) {
      for (const log of logs.whole()) {
        if (log.start.logId === id || log.sessions.some((session) => session === id)) return logs.infoOf(log);
      }
      return undefined;
    },

    async list({ workingDir, branchOf, contentBefore, begins, archived = "with", before, held, limit }) {
      const listed = logs
        .whole()
        .filter(({ start, sessions }) =>
          begins === undefined ? true : [start.logId, ...sessions].some((id) => beginsWith(id, begins)),
        )
        .filter(({ start }) => workingDir === undefined || start.workingDir === workingDir)
        .filter(({ start }) => branchOf === undefined || start.branchOf?.logId === branchOf)
        .filter(({ days: [oldest] }) => contentBefore === undefined || (oldest?.day ?? "~") < contentBefore)
        .filter(({ holder }) => held !== true || holder !== undefined)
        .filter(({ notes }) => archived === "with" || notes.archived === (archived === "only"))
        .reverse()
        .map((log) => logs.infoOf(log))
        .sort((a, b) => compare(b.updatedAt, a.updatedAt));
      if (before === undefined) return listed.slice(0, limit);
      const at = listed.findIndex(({ logId }) => logId === before.logId);
      const isAfter = ({ updatedAt }: LogInfo, index: number) =>
        at === -1 || updatedAt !== before.updatedAt ? updatedAt <= before.updatedAt : index > at;
      return listed.filter((info, index) => index !== at && isAfter(info, index)).slice(0, limit);
    },
  };
}

/** Returns the operations that read events of a log. */
function eventReads(
  logs: MemoryLogs,
): Pick<SessionStore, "events" | "markedEvents" | "eventsBefore" | "costs" | "expired"> {
  return {
    async events(logId, since, limit) {
      const { events, expired } = logs.mustFind(logId);
      const above = eventsAbove(events, since);
      if (expired.length === 0) return above.slice(0, limit);
      return above.filter(({ id }) => !isInRanges(id, expired)).slice(0, limit);
    },

    async markedEvents(logId, since, limit) {
      return eventsAbove(logs.mustFind(logId).events, since).slice(0, limit);
    },

    async eventsBefore(logId, before, limit) {
      const upTo = logs.mustFind(logId).events.filter(({ id }) => id <= before);
      return upTo.slice(Math.max(0, upTo.length - limit));
    },

    async costs(logId, since) {
      const { start, costs } = logs.mustFind(logId);
      const from = Math.max(since, start.branchOf?.at ?? 0);
      return costs.filter(({ id }) => id > from).map(({ payload }) => payload);
    },

    async expired(logId) {
      return logs.mustFind(logId).expired;
    },
  };
}

/** Returns the operations that rebuild a history: its messages, and the calls whose end is unknown. */
function historyReads(logs: MemoryLogs): Pick<SessionStore, "messages" | "messagesAt" | "orphans"> {
  return {
    async messages(logId) {
      const { messages, boundary } = logs.mustFind(logId);
      return messages.slice(boundary);
    },

    async messagesAt(logId, at) {
      const upTo = logs.mustFind(logId).messages.filter(({ after }) => after <= at);
      return upTo.slice(Math.max(0, upTo.findLastIndex(isBoundary)));
    },

    async orphans(logId) {
      const open = [...logs.mustFind(logId).open.values()];
      return open.sort((a, b) => compare(a.startedAt, b.startedAt) || compare(a.callId, b.callId));
    },
  };
}

/** Returns the operations that keep and remove contents. */
function logUpkeep(
  logs: MemoryLogs,
): Pick<SessionStore, "pin" | "expire" | "delete" | "maintain" | "lastDay"> {
  return {
    async lastDay(beforeDay) {
      const days = [...logs.all.values()].flatMap((log) => log.days.map(({ day }) => day));
      return days
        .filter((day) => day < beforeDay)
        .sort()
        .at(-1);
    },

    async pin(logId, pinned) {
      logs.mustFind(logId).pinned = pinned;
    },

    async expire(logId, beforeDay) {
      const log = logs.mustFind(logId);
      if (log.pinned) return 0;
      const newest = log.days.at(-1)?.day ?? beforeDay;
      const isCut = logs.livingHolder(log) !== undefined && newest < beforeDay;
      return expireMemoryLog(log, isCut ? newest : beforeDay);
    },

    async delete(logId, beside) {
      logs.assertFree(logs.mustFind(logId));
      logs.all.delete(logId);
      await beside?.(logId);
    },

    async maintain() {
      let branchesRemoved = 0;
      for (const [logId, log] of logs.all) {
        if (isWhole(log.start, log.lastEvent) || logs.livingHolder(log) !== undefined) continue;
        logs.all.delete(logId);
        branchesRemoved += 1;
      }
      return { bytesBefore: 0, bytesAfter: 0, branchesRemoved };
    },
  };
}

/** Returns the operations that look for damage. */
function damageChecks(logs: MemoryLogs): Pick<SessionStore, "losses" | "lossesTold" | "check"> {
  return {
    async losses() {
      return []; // memory is lost with the process only
    },

    async lossesTold() {
      return; // there are none
    },

    async *check() {
      for (const log of logs.all.values()) if (logs.livingHolder(log) === undefined) yield* openCalls(log);
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

function beginsWith(id: LogId | SessionId, beginning: string): boolean {
  return id.startsWith(beginning) || id.startsWith(`sess_${beginning}`) || id.startsWith(`log_${beginning}`);
}
