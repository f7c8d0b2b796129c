import type { Cache, CacheBudget } from "../../base/cache-budget.ts";
import type { Conversation } from "../../engine/loop/conversation.ts";

export interface IdleHistoryParts {
  readonly caches: CacheBudget;
  readonly conversation: Pick<Conversation, "messages" | "ready" | "release" | "released">;
  /** Whether something works with the conversation. */
  busy(): boolean;
}

const KEY = "history";

/**
 * The conversation of a session that does nothing is a cache of its log: it has its place in the budget of all caches, and
 * is read from the log again where it had to go (SES-12).
 */
export class IdleHistory implements Disposable {
  readonly #parts: IdleHistoryParts;
  readonly #cache: Cache<Conversation["messages"]>;
  #isStale = false;

  constructor(parts: IdleHistoryParts) {
    this.#parts = parts;
    this.#cache = parts.caches.open<Conversation["messages"]>("histories", {
      onEvicted: () => {
        if (!parts.busy()) parts.conversation.release();
      },
    });
  }

  /** Nothing works with it any more. */
  rest(): void {
    const { busy, conversation } = this.#parts;
    if (!busy() && this.#isStale) {
      this.#isStale = false;
      this.release();
    }
    if (!busy() && !conversation.released) this.#cache.set(KEY, conversation.messages);
  }

  /** Resolves once it is there to be worked with, and stays. */
  async ready(): Promise<void> {
    this.#cache.get(KEY);
    this.#cache.delete(KEY);
    if (this.#isStale) this.#parts.conversation.release();
    this.#isStale = false;
    await this.#parts.conversation.ready();
  }

  /** Content of the log has expired: it is read again, at once where nothing works with it, else before the next turn. */
  expired(): void {
    if (this.#parts.busy()) this.#isStale = true;
    else this.release();
  }

  /** Lets go of it. */
  release(): void {
    this.#cache.delete(KEY);
    this.#parts.conversation.release();
  }

  [Symbol.dispose](): void {
    this.#cache[Symbol.dispose]();
  }
}
