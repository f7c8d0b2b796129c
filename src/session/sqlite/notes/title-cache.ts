import type { Cache, CacheBudget } from "../../../base/cache-budget.ts";
import type { LogId } from "../../../base/ids.ts";

interface OpenedTitle {
  readonly sealed: Uint8Array;
  readonly title: string;
}

/**
 * Opened titles, each valid while its sealed bytes stay the same: a filter of a list compares thousands of them.
 */
export class TitleCache {
  readonly #titles: Cache<OpenedTitle>;

  constructor(caches: Pick<CacheBudget, "open">) {
    this.#titles = caches.open("titles");
  }

  /** Returns the title of a log; opens it if that was not done before. */
  title(logId: LogId, sealed: Uint8Array, open: () => string): string {
    const known = this.#titles.get(logId);
    if (known !== undefined && Buffer.compare(known.sealed, sealed) === 0) return known.title;
    const title = open();
    this.#titles.set(logId, { sealed, title });
    return title;
  }

  /** Keeps no title in memory: the content of some may have expired. */
  forget(): void {
    this.#titles.clear();
  }
}
