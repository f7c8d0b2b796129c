import type { Clock } from "../../base/world.ts";

/** Time after which an engine without clients ends. */
export const LINGER_MS = 5_000;
/** Time limit for the first client to come. */
export const FIRST_CLIENT_MS_MAX = 60_000;
export const LOOK_MS = 1_000;
/** An idle session has a client: the processor is to be left alone. */
const LOOK_WITH_CLIENTS_MS = 4_000;

export interface UntilIdleDependencies {
  readonly clock: Pick<Clock, "monotonic" | "timer">;
  /** Returns the number of connected clients. */
  open(): number;
  /** Returns the number of requests so far: one may come and go between two checks. */
  count(): number;
  /** Returns true once nobody waits for it any more. Asked until the first client has come. Default: never. */
  isForsaken?(): boolean;
  /** Milliseconds that the engine stays after its last client. Default: `LINGER_MS`. */
  readonly lingerMs?: number;
  /** Returns true while work runs that needs no client. */
  busy(): boolean;
}

/**
 * Resolves once the last client left `lingerMs` ago and neither a turn nor a background task runs (CTL-18). It
 * checks once a second; while clients are connected, every four seconds, so it may notice later that one has left.
 */
export function untilIdle(parts: UntilIdleDependencies, signal: AbortSignal): Promise<void> {
  const { clock, open, count, busy, lingerMs = LINGER_MS, isForsaken = () => false } = parts;
  const { promise, resolve } = Promise.withResolvers<void>();
  let seen = count();
  let leftMs: number | undefined;
  let quietMs = clock.monotonic();
  let timer: Disposable | undefined;
  function look(): void {
    const now = clock.monotonic();
    const isUsed = open() > 0 || count() !== seen || busy();
    seen = count();
    if (isUsed) {
      leftMs = lingerMs;
      quietMs = now;
    }
    const isOver = leftMs === undefined && isForsaken();
    if (isOver || now - quietMs >= (leftMs ?? FIRST_CLIENT_MS_MAX)) resolve();
    else timer = clock.timer(open() > 0 ? LOOK_WITH_CLIENTS_MS : LOOK_MS, look);
  }
  look();
  const stop = () => {
    timer?.[Symbol.dispose]();
    resolve();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise;
}
