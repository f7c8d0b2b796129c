import { deadline, whileAlive } from "../../base/async/deadline.ts";
import type { Clock } from "../../base/world.ts";
import type { AccessToken, ExchangeRefused, ExchangeResult, TokenSource } from "./token-source.ts";

/** Total limit of one exchange; a caller that waits for it may leave earlier. */
export const EXCHANGE_MS_MAX = 30_000;

export interface CachedTokenOptions extends Pick<TokenSource, "source" | "baseUrl"> {
  readonly clock: Clock;
  readonly exchange: (signal: AbortSignal) => Promise<ExchangeResult>;
}

/**
 * Holds the token of one provider: exchanged at first use, renewed before it ends and after a refusal.
 *
 * Concurrent requests share one exchange. If it fails while the old token is valid, that one stays in use. Ages use
 * the monotonic clock, so that a wrong date has no effect.
 */
export function cachedToken({ source, baseUrl, clock, exchange }: CachedTokenOptions): TokenSource {
  let cached: CachedToken | undefined;
  let underWay: Promise<AccessToken | ExchangeRefused> | undefined;

  async function renew(): Promise<AccessToken | ExchangeRefused> {
    using limit = deadline(clock, EXCHANGE_MS_MAX, new AbortController().signal);
    const old = cached;
    try {
      const answer = await whileAlive(exchange(limit.signal), limit.signal);
      if (answer.kind === "refused") return old === undefined || !isGood(old) ? answer : old.token;
      const nowMs = clock.monotonic();
      const { token, renewAfterMs, endsAfterMs } = answer;
      cached = { token, renewMs: nowMs + renewAfterMs, endMs: nowMs + endsAfterMs };
      return token;
    } catch (thrown) {
      if (limit.reached) return old !== undefined && isGood(old) ? old.token : tooSlow();
      if (old !== undefined && isGood(old)) return old.token;
      throw thrown;
    }
  }

  /** True if the token was not refused and has not ended. */
  function isGood(it: CachedToken): boolean {
    return it === cached && clock.monotonic() < it.endMs;
  }

  return {
    source,
    baseUrl,
    async current(signal) {
      signal.throwIfAborted();
      if (cached !== undefined && clock.monotonic() < cached.renewMs) return cached.token;
      underWay ??= renew().finally(() => {
        underWay = undefined;
      });
      return await whileAlive(underWay, signal);
    },
    drop(token) {
      if (cached?.token === token) cached = undefined;
    },
  };
}

interface CachedToken {
  readonly token: AccessToken;
  /** By the monotonic clock. */
  readonly renewMs: number;
  readonly endMs: number;
}

function tooSlow(): ExchangeRefused {
  const detail = `no access token could be had within ${EXCHANGE_MS_MAX / 1_000} s`;
  return { kind: "refused", status: 504, detail };
}
