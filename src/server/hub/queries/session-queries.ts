import { defined } from "../../../base/defined.ts";
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
import type { NewsSource } from "../news/news.ts";
import { historyQueries } from "./history/history-queries.ts";
import { lastEvents } from "./last-events.ts";
import { readLog } from "./read-log.ts";

export interface SessionQuerySources {
  readonly store: Pick<SessionStore, "eventsBefore" | "expired" | "find" | "list" | "markedEvents">;
  /** Returns the sessions that run here now. */
  live(): readonly SessionId[];
  /** Waits for a session that was announced and is still being opened. */
  whenThere?(id: SessionId): Promise<void>;
  /** Returns the labels of the clients that are subscribed to a session. */
  attachedBy?(id: SessionId): readonly string[];
  /** Returns an event before the open questions of a session; undefined if there are none. */
  askedSince?(id: SessionId): EventSeq | undefined;
  /** The newest event that subscribers of a running session have, which the log may not have yet. */
  lastShown?(id: SessionId): EventSeq | undefined;
}

/** Answers queries about sessions, and reads their logs, within the scope of the client (CTL-15, AUTH-07). */
export function sessionQueries(sources: SessionQuerySources) {
  const logs = new ReachableLogs(sources);
  const rows = new SessionRows(sources);
  const handlers: QueryHandlers = {
    async ListSessions(query, { scope = EVERYTHING }) {
      const { past = false, limit = SESSIONS_LISTED_MAX, sessionId } = query;
      const workingDir = sessionId === undefined ? undefined : (await logs.find(sessionId, scope)).workingDir;
      const infos = await logs.listed({ past, limit, workingDir }, scope);
      return { sessions: await rows.listed(infos, scope) };
    },
    async GetSession({ sessionId, last = LAST_EVENTS }, { scope = EVERYTHING }) {
      const log = await logs.find(sessionId, scope);
      const info = rows.of(log);
      const since = Math.max(0, log.lastEvent - last);
      const events = last === 0 ? [] : await lastEvents(logs.read(info.session, since, scope));
      return { ...info, last_events: events };
    },
    async ListTasks({ sessionId }, { scope = EVERYTHING }) {
      // A session does not run once its process is gone, however that ended.
      const { session: newest, heldBy } = await logs.find(sessionId, scope);
      const lives = (run: SessionId) => run === newest && heldBy !== undefined;
      return { tasks: await tasksIn(logs.read(sessionId, 0, scope), lives) };
    },
    ...historyQueries({ store: sources.store, find: (id, scope) => logs.find(id, scope) }),
  };
  return {
    handlers,
    log: (id: SessionId, since: EventSeq, scope: Scope) => logs.read(id, since, scope),
    infoOf: (info: LogInfo) => rows.of(info),
    news: newsSource(sources, logs, rows),
  };
}

/** Returns what the news tell: the sessions of `ListSessions`, described as there. */
function newsSource(
  { store, live }: SessionQuerySources,
  logs: ReachableLogs,
  rows: SessionRows,
): NewsSource {
  return {
    async listed({ past, limit, scope }) {
      const running = await logs.newest(scope.sessions === "all" ? live() : scope.sessions, {
        past: false,
        limit,
        workingDir: undefined,
      });
      const stored = past ? await logs.listed({ past, limit, workingDir: undefined }, scope) : [];
      const all = new Set([...running, ...stored].map(({ logId }) => logId));
      const reached = scope.sessions === "all" ? [] : await logs.of(scope.sessions);
      return { logs: [...all].slice(0, limit), reached: reached.map(({ logId }) => logId) };
    },
    async infosOf(wanted, scope) {
      const found = await Promise.all(wanted.map((log) => store.find(log)));
      return await rows.listed(
        found.filter((info) => info !== undefined),
        scope,
      );
    },
  };
}

/** The logs of the store, as far as a scope reaches them. */
class ReachableLogs {
  readonly #sources: SessionQuerySources;

  constructor(sources: SessionQuerySources) {
    this.#sources = sources;
  }

  /** @throws HarnessError Forbidden, before it is known whether such a session exists; UnknownSession. */
  async find(id: SessionId, scope: Scope): Promise<LogInfo> {
    const { store } = this.#sources;
    await this.#sources.whenThere?.(id);
    if (!(await reachesSession(scope, id, async (each) => (await store.find(each))?.logId)))
      throw new HarnessError("Forbidden", { what: `the session ${id}` });
    const info = await store.find(id);
    if (info === undefined) throw new HarnessError("UnknownSession", { id });
    return info;
  }

  async *read(id: SessionId, since: EventSeq, scope: Scope): AsyncGenerator<Envelope> {
    yield* readLog(this.#sources.store, id, await this.find(id, scope), since);
  }

  /** Returns the sessions of a list: those that run here, with `past` the stored ones too, the newest first. */
  async listed(options: ListOptions, { sessions }: Scope): Promise<readonly LogInfo[]> {
    const { past, limit, workingDir } = options;
    if (sessions !== "all") return await this.newest(sessions, options);
    return past
      ? await this.#sources.store.list({ limit, ...defined({ workingDir }) })
      : await this.newest(this.#sources.live(), options);
  }

  /** Returns the logs that these runs belong to, each once. */
  async of(ids: readonly SessionId[]): Promise<readonly LogInfo[]> {
    const logs = new Map<LogId, LogInfo>();
    for (const id of ids) {
      const info = await this.#sources.store.find(id);
      if (info !== undefined) logs.set(info.logId, info);
    }
    return [...logs.values()];
  }

  /** Returns the logs that these runs belong to, each once, the newest first. */
  async newest(
    ids: readonly SessionId[],
    { past, limit, workingDir }: ListOptions,
  ): Promise<readonly LogInfo[]> {
    return [...(await this.of(ids))]
      .filter(({ session }) => past || this.#sources.live().includes(session))
      .filter((info) => workingDir === undefined || info.workingDir === workingDir)
      .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
      .slice(0, limit);
  }
}

/** Describes sessions for clients: facts of the log, and what is known of a running session. */
class SessionRows {
  readonly #sources: SessionQuerySources;

  constructor(sources: SessionQuerySources) {
    this.#sources = sources;
  }

  of(info: LogInfo): SessionInfo {
    const { pid: _pid, branch_of: _branch, ...row } = sessionRow(info);
    const { session, logId, branchOf } = info;
    const asked = this.#sources.askedSince?.(session);
    const live = this.#sources.live().includes(session);
    const shown = this.#sources.lastShown?.(session) ?? 0;
    const reserved = live ? undefined : info.reserved;
    return {
      ...row,
      session,
      log: logId,
      events: Math.max(row.events, shown),
      live,
      ...defined({ asked_since: asked, reserved }),
      ...(branchOf === undefined ? {} : { branch_of: { log: branchOf.logId, event: branchOf.at } }),
    };
  }

  /** Describes sessions as a list does: a token of named sessions sees nothing of other clients and sessions. */
  async listed(infos: readonly LogInfo[], { sessions }: Scope): Promise<readonly SessionInfo[]> {
    return sessions === "all" ? await this.#withOthers(infos) : infos.map((info) => this.of(info));
  }

  /** Adds the clients that are subscribed to each session, and the sessions that branches come from. */
  async #withOthers(infos: readonly LogInfo[]): Promise<readonly SessionInfo[]> {
    const { store } = this.#sources;
    const parents = new Map<LogId, SessionId>(infos.map(({ logId, session }) => [logId, session]));
    const listed: SessionInfo[] = [];
    for (const info of infos) {
      const { session, branchOf } = info;
      const parent = branchOf && (parents.get(branchOf.logId) ?? (await store.find(branchOf.logId))?.session);
      if (branchOf !== undefined && parent !== undefined) parents.set(branchOf.logId, parent);
      const row = this.of(info);
      const attached = this.#sources.attachedBy?.(session) ?? [];
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
}

/** Folds events into tasks, each in its last state. A task of a run that no longer lives is lost. */
async function tasksIn(
  events: AsyncIterable<Envelope>,
  lives: (run: SessionId) => boolean,
): Promise<readonly TaskInfo[]> {
  const tasks = new Map<TaskId, TaskInfo>();
  for await (const { kind, payload, ts, session } of events) {
    if (kind !== "TaskChanged") continue;
    const { taskId: task, what } = payload;
    const isLost = payload.state === "running" && !lives(session);
    const { state, detail } = isLost ? LOST : payload;
    tasks.set(task, { task, what, state, ...defined({ detail }), updated_at: ts });
  }
  return [...tasks.values()];
}

interface ListOptions {
  readonly past: boolean;
  readonly limit: number;
  readonly workingDir: string | undefined;
}

const LOST = { state: "stopped", detail: "it ended with the process that ran it" } as const;
