import type { Engine } from "./engine.ts";
import { CinchError, EngineUnreachable, invalidEvent, isPassing, messageOf } from "./errors.ts";
import { backoffMs, sleep } from "./limits.ts";
import type { LogId, NewsItem, SessionId } from "./protocol.ts";
import type { SignalOption } from "./session.ts";

export interface NewsOptions extends SignalOption {
  /** True: stored sessions too. Default: those that run. */
  readonly past?: boolean;
  /** The name of a reader: `info.unread` counts the turns that ended after its mark. */
  readonly reader?: string;
}

/**
 * The news about all sessions that the token names: each of them, NewsReady, then what changes. Each connection begins
 * with all sessions again; what is gone meanwhile is told as gone before the next NewsReady (CTL-19).
 *
 * @throws CinchError what the engine refuses for good; what the last attempt came to, once it was away too long.
 */
export async function* readNews(
  engine: Engine,
  { past = false, reader, signal }: NewsOptions,
): AsyncGenerator<NewsItem, void> {
  const leave = new AbortController();
  const stop = AbortSignal.any([leave.signal, engine.left, ...(signal === undefined ? [] : [signal])]);
  const query = new URLSearchParams({ past: `${past}`, ...(reader === undefined ? {} : { reader }) });
  const path = `/v1/news?${query}`;
  const known = new Map<SessionId, LogId>();
  let fruitless = 0;
  let awayAt: number | undefined;
  try {
    while (true) {
      let failure: CinchError = new EngineUnreachable("The engine has closed the stream of news.");
      try {
        for await (const item of connection(engine, { path, stop }, known)) {
          if (item.kind === "NewsReady") [fruitless, awayAt] = [0, undefined];
          yield item;
        }
      } catch (thrown) {
        stop.throwIfAborted();
        if (!(thrown instanceof CinchError)) throw thrown;
        failure = thrown;
        const isHealed = failure.reason === "UnknownClient" && (await engine.renewClient(stop));
        if (!isHealed && !isPassing(failure)) throw failure;
      }
      stop.throwIfAborted();
      const { limits, onState } = engine;
      awayAt ??= performance.now();
      if (limits.awayMs > 0 && performance.now() - awayAt > limits.awayMs) throw failure;
      const nextMs = fruitless === 0 ? 0 : backoffMs(fruitless - 1, limits);
      fruitless += 1;
      if (nextMs === 0) continue;
      onState?.({ kind: "away", error: failure, nextMs });
      await sleep(nextMs, stop);
    }
  } finally {
    leave.abort(new Error("nobody reads on"));
  }
}

/** The news of one connection. `known` has the sessions that the reader was told of. */
async function* connection(
  engine: Engine,
  { path, stop }: { readonly path: string; readonly stop: AbortSignal },
  known: Map<SessionId, LogId>,
): AsyncGenerator<NewsItem, void> {
  const unnamed = new Map(known);
  let isFirst = true;
  const onSign = () => {
    if (isFirst) engine.onState?.({ kind: "connected" });
    isFirst = false;
  };
  for await (const { data } of engine.frames(path, { signal: stop, onSign })) {
    const item = readNewsItem(data);
    if (item === undefined) continue;
    if (item.kind === "SessionChanged") known.set(item.session, item.info.log);
    if (item.kind !== "NewsReady") unnamed.delete(item.session);
    if (item.kind === "SessionGone") known.delete(item.session);
    if (item.kind === "NewsReady")
      for (const [session, log] of unnamed) {
        known.delete(session);
        yield { kind: "SessionGone", session, log };
      }
    yield item;
  }
}

/** Undefined for a kind that this version does not know. @throws CinchError InvalidEvent. */
function readNewsItem(text: string): NewsItem | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw invalidEvent(`it is no JSON (${messageOf(thrown)})`, thrown);
  }
  const { kind, session, log, info } = Object(value) as Record<string, unknown>;
  if (kind === "NewsReady") return value as NewsItem;
  if (kind !== "SessionChanged" && kind !== "SessionGone") return undefined;
  if (typeof session !== "string") throw invalidEvent(`${kind}: it has no session`);
  const { log: inside } = Object(info) as Record<string, unknown>;
  if (typeof (kind === "SessionGone" ? log : inside) !== "string")
    throw invalidEvent(`${kind}: it has no log`);
  return value as NewsItem;
}
