import type { CacheBudget } from "../../../base/cache-budget.ts";
import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { EventSeq, LogId, SessionId, TaskId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import type { Envelope } from "../../../protocol/events/envelope.ts";
import type { QueryOf } from "../../../protocol/queries/queries.ts";
import { LAST_EVENTS, SESSIONS_LISTED_MAX } from "../../../protocol/queries/session-queries.ts";
import type { TaskInfo } from "../../../protocol/resources.ts";
import { reachesSession } from "../../../session/access/reach.ts";
import type { Scope } from "../../../session/access/scope.ts";
import { EVERYTHING } from "../../../session/access/scope.ts";
import type { QueryHandlers } from "../../../session/commands/query-handlers.ts";
import type { LogInfo, LogQuery, SessionStore } from "../../../session/store/store.ts";
import type { NewsSource } from "../news/news.ts";
import { historyQueries } from "./history/history-queries.ts";
import { lastEvents } from "./last-events.ts";
import { readKept, readLog } from "./read-log.ts";
import { searchQueries } from "./search/search-queries.ts";
import type { SessionInfoSources } from "./session-info.ts";
import { SessionInfos, stateOf } from "./session-info.ts";
import { listFilter, memoryPage, readListCursor, storedPage } from "./session-page.ts";
import { spendQuery } from "./spend-query.ts";

export interface SessionQuerySources extends Omit<SessionInfoSources, "nowMs" | "store"> {
  readonly world: Pick<World, "clock">;
  readonly caches: Pick<CacheBudget, "open">;
  readonly store: Pick<
    SessionStore,
    "costs" | "eventsBefore" | "expired" | "find" | "list" | "markedEvents" | "names" | "notes" | "search"
  >;
  /** Returns the sessions that run here now. */
  live(): readonly SessionId[];
  /** Waits for a session that was announced and is still being opened. */
  whenThere?(id: SessionId): Promise<void>;
}

/** Answers queries about sessions, and reads their logs, within the scope of the client (CTL-15, AUTH-07). */
export function sessionQueries(sources: SessionQuerySources) {
  const { clock } = sources.world;
  const logs = new ReachableLogs(sources);
  const infos = new SessionInfos({ ...sources, nowMs: () => clock.now() });
  const handlers: QueryHandlers = {
    async ListSessions(query, { scope = EVERYTHING, signal }) {
      const {
        past = false,
        limit = SESSIONS_LISTED_MAX,
        sessionId,
        archived = "without",
        reader,
        previews,
      } = query;
      const before = readListCursor(query.before);
      const workingDir = sessionId === undefined ? undefined : (await logs.find(sessionId, scope)).workingDir;
      const fits = listFilter(query, (log) => stateOf(log, sources.running(log.session)));
      const options = { limit, before, fits };
      const page =
        past && scope.sessions === "all"
          ? await storedPage(sources.store, {
              ...{ ...options, clock, signal },
              query: {
                archived,
                ...defined({ workingDir }),
                ...(isAtWork(query.state) ? { held: true } : {}),
              },
            })
          : memoryPage(
              await logs.named(scope.sessions === "all" ? sources.live() : scope.sessions, {
                ...{ past, archived, workingDir },
              }),
              options,
            );
      const sessions = await infos.all(page.logs, { scope, reader, previews });
      const { cursor } = page;
      return { sessions, more: cursor !== undefined, ...defined({ cursor }) };
    },
    async GetSession({ sessionId, last = LAST_EVENTS, reader, previews }, { scope = EVERYTHING }) {
      const log = await logs.find(sessionId, scope);
      const info = await infos.of(log, { scope, reader, previews });
      const since = Math.max(0, log.lastEvent - last);
      const events = last === 0 ? [] : await lastEvents(logs.read(info.session, since, scope));
      return { ...info, last_events: events };
    },
    async GetDraft({ sessionId, reader }, { scope = EVERYTHING }) {
      const { logId } = await logs.find(sessionId, scope);
      return (await sources.store.notes?.draft(logId, reader)) ?? { text: "" };
    },
    async ListTasks({ sessionId }, { scope = EVERYTHING }) {
      // A session does not run once its process is gone, however that ended.
      const log = await logs.find(sessionId, scope);
      const { session: newest, heldBy } = log;
      const lives = (run: SessionId) => run === newest && heldBy !== undefined;
      return { tasks: await tasksIn(readKept(sources.store, log, ["TaskChanged"]), lives) };
    },
    ...historyQueries({ store: sources.store, find: (id, scope) => logs.find(id, scope) }),
    ...spendQuery({ ...sources, find: (id, scope) => logs.find(id, scope) }),
    ...searchQueries({ ...sources, find: (id, scope) => logs.find(id, scope) }),
  };
  return {
    handlers,
    log: (id: SessionId, since: EventSeq, scope: Scope) => logs.read(id, since, scope),
    infos,
    news: newsSource(sources, logs, infos),
  };
}

/** Returns what the news tell: the sessions of `ListSessions` with the archived ones, described as there. */
function newsSource(
  { store, live }: SessionQuerySources,
  logs: ReachableLogs,
  infos: SessionInfos,
): NewsSource {
  const any = { archived: "with", workingDir: undefined } as const;
  return {
    async listed({ past, limit, scope: { sessions } }) {
      const running = await logs.named(sessions === "all" ? live() : sessions, { ...any, past: false });
      const reached = sessions === "all" ? [] : await logs.named(sessions, { ...any, past: true });
      const stored = past && sessions === "all" ? await store.list({ limit }) : past ? reached : [];
      const all = new Set([...running, ...stored].map(({ logId }) => logId));
      return { logs: [...all].slice(0, limit), reached: reached.map(({ logId }) => logId) };
    },
    async infosOf(wanted, view) {
      const found = await Promise.all(wanted.map((log) => store.find(log)));
      return await infos.all(
        found.filter((info) => info !== undefined),
        view,
      );
    },
  };
}

/** Returns true for a state that only a session in some process has. */
function isAtWork(state: QueryOf<"ListSessions">["state"]): boolean {
  return state === "running" || state === "waiting";
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

  /** Returns the logs that these runs belong to, each once. */
  async named(
    ids: readonly SessionId[],
    { past, archived, workingDir }: ListOptions,
  ): Promise<readonly LogInfo[]> {
    const logs = new Map<LogId, LogInfo>();
    for (const id of ids) {
      const info = await this.#sources.store.find(id);
      if (info !== undefined) logs.set(info.logId, info);
    }
    return [...logs.values()]
      .filter(({ session }) => past || this.#sources.live().includes(session))
      .filter((info) => archived === "with" || (info.archived ?? false) === (archived === "only"))
      .filter((info) => workingDir === undefined || info.workingDir === workingDir);
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

interface ListOptions extends Required<Pick<LogQuery, "archived">> {
  readonly past: boolean;
  readonly workingDir: string | undefined;
}

const LOST = { state: "stopped", detail: "it ended with the process that ran it" } as const;
