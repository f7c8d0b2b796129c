import type { PayloadOf } from "../../protocol/events/events.ts";
import type { RequestContext } from "../../providers/middleware.ts";
import type { ModelRequest, ModelUsage } from "../../providers/provider.ts";

type CacheMiss = NonNullable<PayloadOf<"CostIncremented">["cacheMiss"]>;

/** Providers cache no shorter prefix, so a smaller difference is rounding. */
const LOST_TOKENS_MIN = 1_024;
/** Providers keep a prefix that nobody uses for about five minutes. */
const KEPT_MS = 5 * 60_000;
/** Conversations whose last request is remembered: the session's own and its newest sub-agents. */
const CONVERSATIONS_MAX = 16;

interface SentRequest {
  readonly provider: string;
  readonly request: ModelRequest;
  readonly atMs: number;
  /** Tokens that the provider has cached of it. */
  readonly cachedTokens: number;
}

/**
 * Finds the cause of each miss of the prompt cache: tokens that the last request of the same conversation had cached,
 * and this one paid for again.
 *
 * Compares requests only after a miss; a hit costs two lookups. A provider that has never reported a cached token in
 * this session is not expected to cache.
 */
export class CacheMisses {
  readonly #last = new Map<string | undefined, SentRequest>();
  readonly #caching = new Set<string>();

  /** Notes an answered request, and returns its miss if it has one. */
  answered(request: ModelRequest, context: RequestContext, usage: ModelUsage): CacheMiss | undefined {
    if (context.purpose !== undefined) return undefined; // a summary shares no prefix with the conversation
    const { parentCall, provider, world } = context;
    const { name } = provider;
    const { inputTokens, cacheReadTokens: read, cacheWriteTokens: written } = usage;
    if (read + written > 0) this.#caching.add(name);
    // A provider that caches by itself reports no writes: all that was sent can be read next time.
    const cachedTokens = written > 0 ? read + written : this.#caching.has(name) ? read + inputTokens : 0;
    const sent: SentRequest = { provider: name, request, atMs: world.clock.monotonic(), cachedTokens };
    const last = this.#last.get(parentCall);
    this.#remember(parentCall, sent);
    if (last === undefined || !this.#caching.has(name)) return undefined;
    const lostTokens = last.cachedTokens - read;
    return lostTokens < LOST_TOKENS_MIN ? undefined : { cause: causeOf(last, sent), lostTokens };
  }

  #remember(conversation: string | undefined, sent: SentRequest): void {
    this.#last.delete(conversation);
    this.#last.set(conversation, sent);
    if (this.#last.size <= CONVERSATIONS_MAX) return;
    const oldest = this.#last.keys().find((key) => key !== undefined);
    this.#last.delete(oldest);
  }
}

/** Returns the first difference in the order in which a provider reads a prompt. */
function causeOf(last: SentRequest, now: SentRequest): CacheMiss["cause"] {
  const [before, after] = [last.request, now.request];
  if (last.provider !== now.provider || before.model !== after.model) return "model_changed";
  if (!Bun.deepEquals(before.tools, after.tools)) return "tools_changed";
  if (!Bun.deepEquals(before.system, after.system)) return "system_changed";
  if (!Bun.deepEquals(before.thinking, after.thinking)) return "effort_changed";
  if (!before.messages.every((message, at) => isSame(message, after.messages[at]))) return "history_changed";
  return now.atMs - last.atMs > KEPT_MS ? "expired" : "unknown";
}

/** Compares two values; messages of a history are mostly the same objects. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || Bun.deepEquals(one, other);
}
