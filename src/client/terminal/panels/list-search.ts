import type { FuzzyText } from "../../../base/text/fuzzy.ts";
import { fuzzyBest, fuzzyText } from "../../../base/text/fuzzy.ts";
import type { PanelEntry } from "./list-entry.ts";

/** Matches that are ranked; those beyond follow in the order of the list. */
const RANKED_MAX = 200;

interface Found<Value> {
  readonly pattern: string;
  /** Indices of all matches, in the order of the list. */
  readonly all: readonly number[];
  readonly entries: readonly PanelEntry<Value>[];
}

/** The search in a list. Each more character looks among the matches before it only. */
export class ListSearch<Value> {
  #entries: readonly PanelEntry<Value>[] | undefined;
  #texts: readonly FuzzyText[] = [];
  #found: Found<Value> | undefined;

  /** Returns the entries that match, the best first; all of them in their order without a pattern. */
  matches(entries: readonly PanelEntry<Value>[], pattern: string): readonly PanelEntry<Value>[] {
    if (pattern === "") return entries;
    if (this.#entries !== entries) {
      this.#entries = entries;
      this.#found = undefined;
      this.#texts = entries.map(({ label, detail = "" }) => fuzzyText(`${label} ${detail}`));
    }
    if (this.#found?.pattern === pattern) return this.#found.entries;
    const among = this.#found !== undefined && pattern.startsWith(this.#found.pattern);
    const { best, all } = fuzzyBest(pattern, this.#texts, {
      limit: RANKED_MAX,
      ...(among ? { among: this.#found?.all ?? [] } : {}),
    });
    const ranked = new Set(best);
    const order = [...best, ...all.filter((at) => !ranked.has(at))];
    const found = order.flatMap((at) => entries[at] ?? []);
    this.#found = { pattern, all, entries: found };
    return found;
  }
}
