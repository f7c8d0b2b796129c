import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { LogId, SessionId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import type { Command } from "../../../protocol/commands/commands.ts";
import type { NewsOptions } from "../../../protocol/connection.ts";
import type { NewsItem } from "../../../protocol/events/news.ts";
import { EVERYTHING } from "../../../session/access/scope.ts";
import type { QueryContext } from "../../../session/commands/query-handlers.ts";
import type { SessionStore } from "../../../session/store/store.ts";
import type { News, NewsSource } from "./news.ts";

/** Items that a transport writes together. */
const NEWS_ITEMS_AT_ONCE = 50;

export interface LazyNewsDependencies {
  readonly clock: World["clock"];
  readonly store: Pick<SessionStore, "find">;
  /** Returns the log of a session that runs here. */
  readonly live: (id: SessionId) => LogId | undefined;
  /** Returns the log of any session. */
  readonly logOf: (id: SessionId) => Promise<LogId | undefined>;
  /** Absent: there are no news here. */
  readonly source: (() => Promise<NewsSource>) | undefined;
}

type NewsWish = Pick<NewsOptions, "past" | "reader">;

/** The news of an engine, which are loaded with their first reader. Without one, a change costs nothing. */
export class LazyNews {
  readonly #parts: LazyNewsDependencies;
  #loading: Promise<News> | undefined;
  #news: News | undefined;
  #isClosed = false;

  constructor(parts: LazyNewsDependencies) {
    this.#parts = parts;
  }

  /** Notes that the log of a session, or what is known beside it, has changed or is deleted. */
  changed(log: LogId): void {
    this.#news?.changed(log);
  }

  /** Yields item by item what `inBatches` yields. */
  async *read(wanted: NewsWish, asking: QueryContext): AsyncGenerator<NewsItem> {
    // One at a time: what a slow reader has not taken can still be replaced by a newer state.
    for await (const items of this.inBatches(wanted, asking, 1)) yield* items;
  }

  /**
   * Yields the news about all sessions that a client may see, from the first read on, until the signal aborts: what is
   * due together, at most so many items.
   * @throws HarnessError as the query ListSessions; InvalidQuery if there are none here.
   */
  async *inBatches(
    { past = false, reader }: NewsWish,
    { signal, ...asking }: QueryContext,
    atOnce = NEWS_ITEMS_AT_ONCE,
  ): AsyncGenerator<readonly NewsItem[]> {
    const [{ queryDefinition }, { assertMayAsk }] = await Promise.all([
      import("../../../protocol/queries/queries.ts"),
      import("../queries/query-access.ts"),
    ]);
    await assertMayAsk(queryDefinition("ListSessions"), { kind: "ListSessions" }, asking, this.#parts.logOf);
    this.#loading ??= this.#load();
    const news = await this.#loading;
    const { scope = EVERYTHING } = asking;
    if (!this.#isClosed) yield* news.read({ past, scope, signal, atOnce, ...defined({ reader }) });
  }

  /**
   * Returns the log of a command's session before the command, which may delete it. Undefined if nobody reads news, or
   * the command names no session.
   */
  logBefore(command: Command): Promise<LogId | undefined> | undefined {
    if (!("sessionId" in command) || this.#news === undefined || this.#news.readers === 0) return undefined;
    const live = this.#parts.live(command.sessionId);
    if (live !== undefined) return Promise.resolve(live);
    const found = this.#parts.store.find(command.sessionId).then((info) => info?.logId);
    found.catch(() => undefined); // `commandDone` throws it
    return found;
  }

  /** Notes what a command has changed: the log of its session, and that of a session that it has made. */
  async commandDone(before: Promise<LogId | undefined>, made: SessionId | undefined): Promise<void> {
    const after = made === undefined ? undefined : await this.#parts.store.find(made);
    for (const log of new Set([await before, after?.logId])) if (log !== undefined) this.changed(log);
  }

  /** Ends every reading. */
  close(): void {
    this.#isClosed = true;
    this.#news?.close();
  }

  async #load(): Promise<News> {
    if (this.#parts.source === undefined)
      throw new HarnessError("InvalidQuery", { kind: "ListSessions", why: "there are no news here" });
    const [{ News: Loaded }, source] = await Promise.all([import("./news.ts"), this.#parts.source()]);
    this.#news = new Loaded({ clock: this.#parts.clock, source });
    return this.#news;
  }
}
