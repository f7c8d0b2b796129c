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

/** Prints of a request: its messages are not held, so that an idle session keeps none of them. */
interface SentRequest {
  readonly model: string;
  readonly tools: bigint;
  readonly system: bigint;
  readonly effort: bigint;
  /** Print of the first messages, and their number. */
  readonly messages: bigint;
  readonly count: number;
  readonly atMs: number;
  /** Tokens that the provider has cached of it. */
  readonly cachedTokens: number;
}

/**
 * Finds the cause of each miss of the prompt cache: tokens that the last request of the same conversation had cached,
 * and this one paid for again.
 *
 * Compares prints of requests; each message is printed once, however often it is sent. A provider that has never
 * reported a cached token in this session is not expected to cache, and nothing of its requests is printed.
 */
export class CacheMisses {
  readonly #last = new Map<string | undefined, SentRequest>();
  readonly #caching = new Set<string>();
  readonly #prints = new WeakMap<object, bigint>();

  /** Notes an answered request, and returns its miss if it has one. */
  answered(request: ModelRequest, context: RequestContext, usage: ModelUsage): CacheMiss | undefined {
    if (context.purpose !== undefined) return undefined; // a summary shares no prefix with the conversation
    const { parentCall, provider, world } = context;
    const { name } = provider;
    const { inputTokens, cacheReadTokens: read, cacheWriteTokens: written } = usage;
    if (read + written > 0) this.#caching.add(name);
    if (!this.#caching.has(name)) return undefined;
    // A provider that caches by itself reports no writes: all that was sent can be read next time.
    const cachedTokens = written > 0 ? read + written : read + inputTokens;
    const last = this.#last.get(parentCall);
    const sent: SentRequest = {
      model: `${name}:${request.model}`,
      tools: this.#printOf(request.tools),
      system: this.#printOf(request.system),
      effort: BigInt(Bun.hash(JSON.stringify(request.thinking ?? null))),
      messages: this.#printOf(request.messages),
      count: request.messages.length,
      atMs: world.clock.monotonic(),
      cachedTokens,
    };
    this.#remember(parentCall, sent);
    if (last === undefined) return undefined;
    const lostTokens = last.cachedTokens - read;
    if (lostTokens < LOST_TOKENS_MIN) return undefined;
    const isContinued = this.#printOf(request.messages.slice(0, last.count)) === last.messages;
    return { cause: causeOf(last, sent, isContinued), lostTokens };
  }

  #printOf(values: readonly object[]): bigint {
    let print = 0n;
    for (const value of values) {
      const known = this.#prints.get(value) ?? BigInt(Bun.hash(JSON.stringify(value)));
      this.#prints.set(value, known);
      print = BigInt(Bun.hash(`${print} ${known}`));
    }
    return print;
  }

  #remember(conversation: string | undefined, sent: SentRequest): void {
    this.#last.delete(conversation);
    this.#last.set(conversation, sent);
    if (this.#last.size <= CONVERSATIONS_MAX) return;
    const oldest = this.#last.keys().find((key) => key !== undefined);
    this.#last.delete(oldest);
  }
}

/**
 * Returns the first difference in the order in which a provider reads a prompt.
 * @param isContinued true if the messages of the last request are the first ones of this.
 */
function causeOf(last: SentRequest, now: SentRequest, isContinued: boolean): CacheMiss["cause"] {
  if (last.model !== now.model) return "model_changed";
  if (last.tools !== now.tools) return "tools_changed";
  if (last.system !== now.system) return "system_changed";
  if (last.effort !== now.effort) return "effort_changed";
  if (!isContinued) return "history_changed";
  return now.atMs - last.atMs > KEPT_MS ? "expired" : "unknown";
}
