import type { ProxyRefusal } from "../../../session/guard/hosts.ts";

/** Limit for reasons in one report: a program that tries many hosts reports its failure itself. */
const REPORTED_MAX = 8;
/** Limit for stored refusals; the newest are kept. */
const KEPT_MAX = 64;

/** Refusals of a proxy, in order; several commands read them, each from its own start. */
export class Refusals {
  readonly #kept: { readonly at: number; readonly refusal: ProxyRefusal }[] = [];
  #count = 0;
  /** Count of refusals before which all were reported. */
  #reportedCount = 0;

  add(refusal: ProxyRefusal): void {
    this.#kept.push({ at: this.#count, refusal });
    this.#count += 1;
    if (this.#kept.length > KEPT_MAX) this.#kept.shift();
  }

  /** Returns the count of refusals so far. */
  count(): number {
    return this.#count;
  }

  /** Returns the refusals since a count; each reason once. */
  since(at: number): readonly ProxyRefusal[] {
    const reasons = new Map<string, ProxyRefusal>();
    for (const { at: when, refusal } of this.#kept) if (when >= at) reasons.set(refusal.why, refusal);
    return [...reasons.values()].slice(0, REPORTED_MAX);
  }

  /** Returns the refusals since a count, and earlier ones that were not reported. */
  report(at: number): readonly ProxyRefusal[] {
    const reasons = this.since(Math.min(at, this.#reportedCount));
    this.#reportedCount = this.#count;
    return reasons;
  }
}
