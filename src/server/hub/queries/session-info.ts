import { defined } from "../../../base/defined.ts";
import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import type { ResultOf } from "../../../protocol/queries/queries.ts";
import type { SessionInfo } from "../../../protocol/resources.ts";
import type { Scope } from "../../../session/access/scope.ts";
import type { QueryContext } from "../../../session/commands/query-handlers.ts";
import type { EnginePort } from "../../../session/engine-port.ts";
import { numbersOfCosts } from "../../../session/store/notes/log-numbers.ts";
import { isUnused } from "../../../session/store/notes/unused.ts";
import { expiresInDays } from "../../../session/store/retention.ts";
import type { LogInfo, SessionStore } from "../../../session/store/store.ts";
import { sessionRow } from "../../../session/transcript/overview.ts";
import type { Session } from "../../../session/turns/session.ts";
import { lastText } from "./last-text.ts";

/** Facts of a session that runs here, which its log does not have. */
export type RunningFacts = Pick<
  Session,
  | "askedSince"
  | "attachedBy"
  | "clients"
  | "inputsWaiting"
  | "lastShown"
  | "level"
  | "questionsOpen"
  | "queuedSince"
  | "state"
>;

export interface SessionInfoSources {
  readonly store: Pick<SessionStore, "costs" | "eventsBefore" | "find" | "markedEvents" | "notes">;
  /** Returns a session that runs here. */
  running(id: SessionId): RunningFacts | undefined;
  /** Returns the tokens that a model `provider:name` accepts, if that is known. */
  contextWindowOf?(model: string): number | undefined;
  /** Returns the days that a profile keeps content; undefined if that is unknown. */
  ttlDaysOf?(profile: string): Promise<number | undefined>;
  /** Milliseconds since 1970. */
  nowMs(): number;
}

/** Parts of a session that are shown, and the client that sees them. */
export interface ShownSession {
  readonly scope: Scope;
  readonly reader?: string | undefined;
  readonly previews?: boolean | undefined;
}

/** Describes sessions for clients: the only place that does, for lists, single sessions and news (CTL-19). */
export class SessionInfos {
  readonly #sources: SessionInfoSources;

  constructor(sources: SessionInfoSources) {
    this.#sources = sources;
  }

  /** @throws HarnessError UnknownSession if it was deleted meanwhile. */
  async of(log: LogInfo, shown: ShownSession): Promise<SessionInfo> {
    const [info] = await this.all([log], shown);
    if (info === undefined) throw new HarnessError("UnknownSession", { id: log.session });
    return info;
  }

  /** Leaves out sessions that were deleted meanwhile. */
  async all(logs: readonly LogInfo[], shown: ShownSession): Promise<readonly SessionInfo[]> {
    const ttlDays = new Map<string, number | undefined>();
    const parents = new Map<LogId, SessionId>(logs.map(({ logId, session }) => [logId, session]));
    const infos: SessionInfo[] = [];
    for (const log of logs) {
      const { profile } = log;
      if (!ttlDays.has(profile)) ttlDays.set(profile, await this.#sources.ttlDaysOf?.(profile));
      try {
        infos.push({
          ...this.#base(log),
          ...(await this.#spent(log)),
          ...(await this.#use(log)),
          ...(await this.#byReader(log, shown)),
          ...(await this.#forAll(log, shown, parents)),
          ...defined({ expires_in_days: expiresInDays(log, ttlDays.get(profile), this.#sources.nowMs()) }),
        });
      } catch (thrown) {
        if (!hasReason(thrown, "SessionMissing")) throw thrown;
      }
    }
    return infos;
  }

  /** Returns what the log and the running session tell at once. */
  #base(log: LogInfo): Omit<SessionInfo, keyof SpentTokens> {
    const { pid: _pid, branch_of: _branch, ...row } = sessionRow(log);
    const { session, logId, branchOf, effort, model } = log;
    const running = this.#sources.running(session);
    const { contextTokens, planMode } = log.numbers ?? {};
    return {
      ...row,
      ...{ session, log: logId },
      events: Math.max(row.events, running?.lastShown ?? 0),
      live: running !== undefined,
      state: stateOf(log, running),
      questions: running?.questionsOpen ?? 0,
      queued: running?.inputsWaiting ?? 0,
      ...defined({
        ...{ effort, level: running?.level, plan_mode: planMode, context_tokens: contextTokens },
        context_window: this.#sources.contextWindowOf?.(model),
        asked_since: running?.askedSince,
        queued_since: (running?.inputsWaiting ?? 0) === 0 ? undefined : running?.queuedSince,
        reserved: running === undefined ? log.reserved : undefined,
      }),
      ...(branchOf === undefined ? {} : { branch_of: { log: branchOf.logId, event: branchOf.at } }),
    };
  }

  async #use(log: LogInfo): Promise<Pick<SessionInfo, "unused">> {
    const running = this.#sources.running(log.session);
    // What has just begun may not be in the log yet.
    if (running !== undefined && (running.inputsWaiting > 0 || running.state !== "idle")) return {};
    return (await isUnused(this.#sources.store, log)) ? { unused: true } : {};
  }

  async #spent(log: LogInfo): Promise<SpentTokens> {
    const numbers = log.numbers ?? numbersOfCosts(await this.#sources.store.costs(log.logId, 0));
    return {
      cost_usd: numbers.unpricedCalls > 0 ? null : numbers.usd,
      input_tokens: numbers.inputTokens,
      output_tokens: numbers.outputTokens,
      cache_read_tokens: numbers.cacheReadTokens,
      cache_write_tokens: numbers.cacheWriteTokens,
    };
  }

  async #byReader(log: LogInfo, { reader, previews }: ShownSession): Promise<Partial<SessionInfo>> {
    const { store } = this.#sources;
    const unread = reader === undefined ? undefined : await store.notes?.unread(log.logId, reader);
    const text = previews === true ? await lastText(store, log) : undefined;
    return defined({ unread, last_text: text });
  }

  /** Returns other sessions and clients, which only a token of every session may know. */
  async #forAll(
    { session, branchOf }: LogInfo,
    { scope }: ShownSession,
    parents: Map<LogId, SessionId>,
  ): Promise<Partial<SessionInfo>> {
    if (scope.sessions !== "all") return {};
    const parent =
      branchOf && (parents.get(branchOf.logId) ?? (await this.#sources.store.find(branchOf.logId))?.session);
    if (branchOf !== undefined && parent !== undefined) parents.set(branchOf.logId, parent);
    const running = this.#sources.running(session);
    const { attachedBy: attached = [], clients = [] } = running ?? {};
    return {
      ...(branchOf === undefined || parent === undefined
        ? {}
        : { branch_of: { log: branchOf.logId, event: branchOf.at, session: parent } }),
      ...(attached.length === 0 ? {} : { attached_by: attached }),
      ...(clients.length === 0 ? {} : { clients }),
    };
  }
}

/** Returns the state of a session. Of one that another process runs the log only tells if a turn runs. */
export function stateOf(
  { heldBy, interrupted }: Pick<LogInfo, "heldBy" | "interrupted">,
  running: Pick<RunningFacts, "state"> | undefined,
): NonNullable<SessionInfo["state"]> {
  return running?.state ?? (heldBy !== undefined && interrupted ? "running" : "idle");
}

type SpentTokens = Pick<
  SessionInfo,
  "cache_read_tokens" | "cache_write_tokens" | "cost_usd" | "input_tokens" | "output_tokens"
>;

/** Returns the facts of one session, without its events. @throws HarnessError Forbidden, UnknownSession. */
export async function sessionInfo(
  engine: Pick<EnginePort, "query">,
  sessionId: SessionId,
  asking: QueryContext,
): Promise<ResultOf<"GetSession">> {
  return await engine.query({ kind: "GetSession", sessionId, last: 0 }, asking);
}
