import { asError, hasReason } from "../../base/errors.ts";
import type { NewsOptions } from "../../protocol/connection.ts";
import type { NewsItem } from "../../protocol/events/news.ts";
import { readNewsItem } from "../../protocol/read.ts";
import type { Link, LinkReader } from "./link.ts";
import { NewsQueue } from "./news-queue.ts";
import type { ServerFrame } from "./server-frames.ts";

export interface RemoteNewsDependencies {
  readonly wanted: Omit<NewsOptions, "signal">;
  readonly signal: AbortSignal;
  /** Opens a socket without a session; retries while that may help. */
  open(reader: LinkReader, signal: AbortSignal): Promise<Link>;
  /** Waits; the time grows with the number of sockets in a row without news. */
  pause(fruitless: number, signal: AbortSignal): Promise<void>;
}

/**
 * Yields the news of an engine over any number of sockets. After a break it begins with all sessions again, with a
 * SessionGone of those that are gone meanwhile before NewsReady (CTL-19).
 */
export async function* remoteNews(dependencies: RemoteNewsDependencies): AsyncGenerator<NewsItem> {
  const leave = new AbortController();
  const signal = AbortSignal.any([dependencies.signal, leave.signal]);
  const queue = new NewsQueue();
  try {
    for (let fruitless = 1; !signal.aborted; fruitless += 1) {
      if (fruitless > 1) await dependencies.pause(fruitless, signal);
      queue.restart();
      const stretch = new NewsStretch(queue);
      const link = await dependencies.open(stretch, signal);
      using _closing = { [Symbol.dispose]: () => link.close() };
      link.send({ frame: "subscribe-news", id: 1, body: dependencies.wanted });
      while (!signal.aborted) {
        const item = queue.take();
        if (item !== undefined) {
          if (item.kind === "NewsReady") fruitless = 0;
          yield item;
        } else if (stretch.isOver) break;
        else await stretch.more(signal);
      }
      // A socket whose token has expired is opened again with a new one, unless that is refused for that too.
      if (stretch.refusal !== undefined && !hasReason(stretch.refusal, "TokenExpired")) throw stretch.refusal;
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  } finally {
    leave.abort(new Error("nobody reads on"));
  }
}

/** The news of one socket. */
class NewsStretch implements LinkReader {
  readonly #queue: NewsQueue;
  #wake: () => void = () => undefined;
  #isOver = false;
  /** The engine's reason for ending it, if it gave one. */
  refusal: Error | undefined;

  constructor(queue: NewsQueue) {
    this.#queue = queue;
  }

  get isOver(): boolean {
    return this.#isOver || this.refusal !== undefined;
  }

  /** Resolves when something has come, the socket has closed or the signal aborts. */
  async more(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const onAbort = () => resolve();
    signal.addEventListener("abort", onAbort);
    await promise;
    signal.removeEventListener("abort", onAbort);
  }

  frame(frame: ServerFrame): void {
    try {
      if (frame.kind === "error") this.refusal = frame.error;
      if (frame.kind !== "news") return;
      const item = readNewsItem(frame.body);
      if (item !== undefined) this.#queue.push(item);
    } catch (thrown) {
      this.refusal = asError(thrown);
    } finally {
      this.#wake();
    }
  }

  closed(): void {
    this.#isOver = true;
    this.#wake();
  }
}
