import { HarnessError } from "../../../base/errors.ts";
import type { EventSeq, LogId, SessionId, TaskId } from "../../../base/ids.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import { LAST_EVENTS, SESSIONS_LISTED_MAX } from "../../../protocol/queries/session-queries.ts";
import type { SessionInfo, TaskInfo } from "../../../protocol/resources.ts";
import { reachesSession } from "../../../session/access/reach.ts";
import type { Scope } from "../../../session/access/scope.ts";
import { EVERYTHING } from "../../../session/access/scope.ts";
import type { QueryHandlers } from "../../../session/commands/query-handlers.ts";
import type { LogInfo, SessionStore } from "../../../session/store/store.ts";
import { sessionRow } from "../../../session/transcript/overview.ts";
import { lastEvents } from "./last-events.ts";
import { readLog } from "./read-log.ts";

export interface SessionQuerySources {
  readonly store: Pick<SessionStore, "expired" | "find" | "list" | "markedEvents">;
  /** Returns the sessions that run here now. */
  live(): readonly SessionId[];
  /** Waits for a session that was announced and is still being opened. */
  whenThere?(id: SessionId): Promise<void>;
  /** Returns the labels of the clients that are subscribed to a session. */
  attachedBy?(id: SessionId): readonly string[];
  /** Returns an event before the open questions of a session; undefined if there are none. */
  askedSince?(id: SessionId): EventSeq | undefined;
}

/** Answers queries about sessions, and reads their logs, within the scope of the client (CTL-15, AUTH-07). */
export function sessionQueries(sources: SessionQuerySources) {
  const { store } = sources;
  const logOf = async (id: SessionId) => (await store.find(id))?.logId;

  /** @throws HarnessError Forbidden, before it is known whether such a session exists; UnknownSession. */
  async function findLogInfo(id: SessionId, scope: Scope): Promise<LogInfo> {
    await sources.whenThere?.(id);
    if (!(await reachesSession(scope, id, logOf)))
      throw new HarnessError("Forbidden", { what: `the session ${id}` });
    const info = await store.find(id);
    if (info === undefined) throw new HarnessError("UnknownSession", { id });
    return info;
  }

  async function* log(id: SessionId, since: EventSeq, scope: Scope): AsyncGenerator<Envelope> {
    yield* readLog(store, id, await findLogInfo(id, scope), since);
  }

  /** Returns the logs that these runs belong to, each once, the newest first. */
  async function named(
    ids: readonly SessionId[],
    { past, limit, workingDir }: ListOptions,
  ): Promise<readonly LogInfo[]> {
    const logs = new Map<LogId, LogInfo>();
    for (const id of ids) {
      const info = await store.find(id);
      if (info !== undefined) logs.set(info.logId, info);
    }
    return [...logs.values()]
      .filter(({ session }) => past || sources.live().includes(session))
      .filter((info) => workingDir === undefined || info.workingDir === workingDir)
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
      .slice(0, limit);
  }

  function infoOf(info: LogInfo): SessionInfo {
    const { pid: _pid, branch_of: _branch, ...row } = sessionRow(info);
    const { session, logId, branchOf } = info;
    const asked = sources.askedSince?.(session);
    return {
      ...row,
      session,
      log: logId,
      live: sources.live().includes(session),
      ...(asked === undefined ? {} : { asked_since: asked }),
      ...(branchOf === undefined ? {} : { branch_of: { log: branchOf.logId, event: branchOf.at } }),
    };
  }

  /** Adds the clients that are subscribed to each session, and the sessions that branches come from. */
  async function withOthers(infos: readonly LogInfo[]): Promise<readonly SessionInfo[]> {
    const parents = new Map<LogId, SessionId>(infos.map(({ logId, session }) => [logId, session]));
    const listed: SessionInfo[] = [];
    for (const info of infos) {
      const { session, branchOf } = info;
      const parent = branchOf && (parents.get(branchOf.logId) ?? (await store.find(branchOf.logId))?.session);
      if (branchOf !== undefined && parent !== undefined) parents.set(branchOf.logId, parent);
      const row = infoOf(info);
      const attached = sources.attachedBy?.(session) ?? [];
      listed.push({
        ...row,
        ...(row.branch_of === undefined || parent === undefined
          ? {}
          : { branch_of: { ...row.branch_of, session: parent } }),
        ...(attached.length === 0 ? {} : { attached_by: attached }),
      });
    }
    return listed;
  }

  const handlers: QueryHandlers = {
    async ListSessions(query, { scope = EVERYTHING }) {
      const { past = false, limit = SESSIONS_LISTED_MAX, sessionId } = query;
      const workingDir =
        sessionId === undefined ? undefined : (await findLogInfo(sessionId, scope)).workingDir;
      const options = { past, limit, workingDir };
      if (scope.sessions !== "all") {
        const infos = await named(scope.sessions, options);
        return { sessions: infos.map(infoOf) };
      }
      const infos = past
        ? await store.list({ limit, ...(workingDir === undefined ? {} : { workingDir }) })
        : await named(sources.live(), options);
      return { sessions: await withOthers(infos) };
    },
    async GetSession({ sessionId, last = LAST_EVENTS }, { scope = EVERYTHING }) {
      const info = infoOf(await findLogInfo(sessionId, scope));
      const since = Math.max(0, info.events - last);
      const events = last === 0 ? [] : await lastEvents(log(info.session, since, scope));
      return { ...info, last_events: events };
    },
    async ListTasks({ sessionId }, { scope = EVERYTHING }) {
      const tasks = new Map<TaskId, TaskInfo>();
      // A session does not run once its process is gone, however that ended.
      const { session: newest, heldBy } = await findLogInfo(sessionId, scope);
      const lives = (run: SessionId) => run === newest && heldBy !== undefined;
      for await (const { kind, payload, ts, session } of log(sessionId, 0, scope)) {
        if (kind !== "TaskChanged") continue;
        const { taskId: task, what } = payload;
        const isLost = payload.state === "running" && !lives(session);
        const { state, detail } = isLost ? LOST : payload;
        tasks.set(task, { task, what, state, ...(detail === undefined ? {} : { detail }), updated_at: ts });
      }
      return { tasks: [...tasks.values()] };
    },
  };
  return { handlers, log, infoOf };
}

interface ListOptions {
  readonly past: boolean;
  readonly limit: number;
  readonly workingDir: string | undefined;
}

const LOST = { state: "stopped", detail: "it ended with the process that ran it" } as const;
