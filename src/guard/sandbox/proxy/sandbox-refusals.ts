import type { Refusal } from "../../../session/guard/hosts.ts";

/** More reasons are not told at once: a program that tries many hosts says itself that it failed. */
const TOLD_MAX = 8;
/** Of the newest. */
const KEPT_MAX = 64;

/** What a proxy refused, in order: several commands look at it, each from where it began. */
export class Refusals {
  readonly #kept: { readonly at: number; readonly refusal: Refusal }[] = [];
  #count = 0;
  /** Everything before it was told. */
  #told = 0;

  add(refusal: Refusal): void {
    this.#kept.push({ at: this.#count, refusal });
    this.#count += 1;
    if (this.#kept.length > KEPT_MAX) this.#kept.shift();
  }

  /** How many there were until now. */
  count(): number {
    return this.#count;
  }

  /** Each reason once. */
  since(at: number): readonly Refusal[] {
    const reasons = new Map<string, Refusal>();
    for (const { at: when, refusal } of this.#kept) if (when >= at) reasons.set(refusal.why, refusal);
    return [...reasons.values()].slice(0, TOLD_MAX);
  }

  /** Those since then, and those that nobody was told of. */
  tell(at: number): readonly Refusal[] {
    const reasons = this.since(Math.min(at, this.#told));
    this.#told = this.#count;
    return reasons;
  }
}
