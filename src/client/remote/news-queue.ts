import { HarnessError } from "../../base/errors.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { NewsItem } from "../../protocol/events/news.ts";

/** Limit on sessions with news that wait for the reader; an engine has fewer. */
export const NEWS_WAITING_MAX = 4_096;

const READY = "ready";

/**
 * News that wait for a reader, over any number of sockets: one item for each session, the newest. Each socket begins
 * with all sessions; the reader gets a SessionGone of those that it does not name any more.
 */
export class NewsQueue {
  readonly #waiting = new Map<SessionId | typeof READY, NewsItem>();
  /** Sessions that the reader has. */
  readonly #taken = new Map<SessionId, LogId>();
  /** Sessions of earlier sockets that this one has not named. */
  readonly #unnamed = new Map<SessionId, LogId>();

  /** Begins with the news of another socket. */
  restart(): void {
    for (const [session, log] of this.#taken) this.#unnamed.set(session, log);
    for (const [session, item] of this.#waiting)
      if (session !== READY && item.kind === "SessionChanged") this.#unnamed.set(session, item.info.log);
  }

  /** @throws HarnessError InvalidEvent above `NEWS_WAITING_MAX`. */
  push(item: NewsItem): void {
    switch (item.kind) {
      case "SessionChanged":
        this.#unnamed.delete(item.session);
        this.#waiting.set(item.session, item);
        break;
      case "SessionGone":
        this.#unnamed.delete(item.session);
        if (this.#taken.has(item.session)) this.#waiting.set(item.session, item);
        else this.#waiting.delete(item.session);
        break;
      case "NewsReady":
        for (const [session, log] of this.#unnamed) this.push({ kind: "SessionGone", session, log });
        this.#waiting.set(READY, item);
    }
    if (this.#waiting.size > NEWS_WAITING_MAX)
      throw new HarnessError("InvalidEvent", {
        why: `it has news of more than ${NEWS_WAITING_MAX} sessions`,
      });
  }

  take(): NewsItem | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [session, item] = first;
    this.#waiting.delete(session);
    if (item.kind === "SessionChanged") this.#taken.set(item.session, item.info.log);
    if (item.kind === "SessionGone") this.#taken.delete(item.session);
    return item;
  }
}
