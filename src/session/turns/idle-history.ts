import type { Cache, CacheBudget } from "../../base/cache-budget.ts";
import type { Conversation } from "../../engine/loop/conversation.ts";

export interface IdleHistoryDependencies {
  readonly caches: CacheBudget;
  readonly conversation: Pick<Conversation, "messages" | "ready" | "release" | "released">;
  /** Returns true if the conversation is in use. */
  busy(): boolean;
}

const KEY = "history";

/**
 * The conversation of an idle session, as a cache of its log: it counts for the budget of all caches, and is read from
 * the log again if it was evicted (SES-12).
 */
export class IdleHistory implements Disposable {
  readonly #parts: IdleHistoryDependencies;
  readonly #cache: Cache<Conversation["messages"]>;
  #isStale = false;

  constructor(parts: IdleHistoryDependencies) {
    this.#parts = parts;
    this.#cache = parts.caches.open<Conversation["messages"]>("histories", {
      onEvicted: () => {
        if (!parts.busy()) parts.conversation.release();
      },
    });
  }

  /** Marks the conversation as not in use. */
  markUnused(): void {
    const { busy, conversation } = this.#parts;
    if (!busy() && this.#isStale) {
      this.#isStale = false;
      this.release();
    }
    if (!busy() && !conversation.released) this.#cache.set(KEY, conversation.messages);
  }

  /** Resolves once it is in memory, and keeps it there. */
  async ready(): Promise<void> {
    this.#cache.get(KEY);
    this.#cache.delete(KEY);
    if (this.#isStale) this.#parts.conversation.release();
    this.#isStale = false;
    await this.#parts.conversation.ready();
  }

  /** Reads it again because content of the log has expired: at once if it is not in use, else before the next turn. */
  expired(): void {
    if (this.#parts.busy()) this.#isStale = true;
    else this.release();
  }

  /** Drops it from memory. */
  release(): void {
    this.#cache.delete(KEY);
    this.#parts.conversation.release();
  }

  [Symbol.dispose](): void {
    this.#cache[Symbol.dispose]();
  }
}
