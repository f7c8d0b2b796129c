import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../test/support/property.ts";
import { CACHE_BYTES_MAX, CacheBudget, weightOf } from "./cache-budget.ts";

const MAX = 4_000;
const SHARE = MAX / 2;
const NAMES = ["answers", "models", "histories"] as const;
type Name = (typeof NAMES)[number];

const name = fc.constantFrom(...NAMES);
const key = fc.constantFrom("a", "b", "c", "d", "e");
const act = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant("set"), name, key, bytes: fc.nat(1_900) }), weight: 5 },
  { arbitrary: fc.record({ do: fc.constant("get"), name, key }), weight: 4 },
  fc.record({ do: fc.constant("delete"), name, key }),
  fc.record({ do: fc.constant("clear"), name }),
);
type Act = {
  readonly do: string;
  readonly name: Name;
  readonly key?: string;
  readonly bytes?: number;
};

/** The same in the plainest way: a list, the one that was used longest ago first. */
class Plain {
  kept: { readonly name: Name; readonly key: string; readonly value: number; readonly bytes: number }[] = [];
  readonly evicted: string[] = [];
  readonly counts = Object.fromEntries(NAMES.map((each) => [each, { hits: 0, misses: 0, evictions: 0 }]));

  bytes(of?: Name): number {
    const counted = this.kept.filter((each) => of === undefined || each.name === of);
    return counted.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  take(of: Name, at: string) {
    const found = this.kept.find((each) => each.name === of && each.key === at);
    this.kept = this.kept.filter((each) => each !== found);
    return found;
  }

  get(of: Name, at: string): number | undefined {
    const found = this.take(of, at);
    const counts = this.counts[of] as { hits: number; misses: number };
    if (found === undefined) counts.misses += 1;
    else {
      counts.hits += 1;
      this.kept.push(found);
    }
    return found?.value;
  }

  set(of: Name, at: string, value: number): void {
    this.take(of, at);
    const bytes = 128 + weightOf(at) + value;
    if (bytes > SHARE) {
      this.#evicted(of, at);
      return;
    }
    const goes = (first: { readonly name: Name; readonly key: string } | undefined) => {
      if (first === undefined) throw new Error("there is something to take out");
      this.take(first.name, first.key);
      this.#evicted(first.name, first.key);
    };
    while (this.bytes(of) + bytes > SHARE) goes(this.kept.find((each) => each.name === of));
    while (this.bytes() + bytes > MAX) goes(this.kept[0]);
    this.kept.push({ name: of, key: at, value, bytes });
  }

  #evicted(of: Name, at: string): void {
    (this.counts[of] as { evictions: number }).evictions += 1;
    this.evicted.push(`${of} ${at}`);
  }
}

test("[SES-12] caches share one budget: whatever is kept, read and taken out, it is what a plain list would hold", async () => {
  const property = fc.property(fc.array(act as fc.Arbitrary<Act>, { maxLength: 120 }), (acts) => {
    const budget = new CacheBudget(MAX);
    const evicted: string[] = [];
    const weigh = (value: number) => value;
    const caches = new Map(
      NAMES.map((each) => {
        const onEvicted = (_: number, at: string) => evicted.push(`${each} ${at}`);
        return [each, budget.open<number>(each, { weigh, onEvicted })] as const;
      }),
    );
    const plain = new Plain();
    for (const { do: what, name: of, key: at = "a", bytes = 0 } of acts) {
      const cache = caches.get(of);
      if (what === "set") cache?.set(at, bytes);
      if (what === "set") plain.set(of, at, bytes);
      if (what === "get") expect(cache?.get(at)).toBe(plain.get(of, at));
      if (what === "delete") cache?.delete(at);
      if (what === "delete") plain.take(of, at);
      if (what === "clear") cache?.clear();
      if (what === "clear") plain.kept = plain.kept.filter((each) => each.name !== of);
      expect(budget.bytes).toBe(plain.bytes());
      expect(budget.bytes).toBeLessThanOrEqual(MAX);
    }
    expect(evicted).toEqual(plain.evicted);
    const expected = NAMES.toSorted().map((each) => ({
      name: each,
      bytes: plain.bytes(each),
      ...(plain.counts[each] as { hits: number; misses: number; evictions: number }),
      entries: plain.kept.filter((one) => one.name === each).length,
    }));
    expect(budget.counts()).toEqual(expected);
  });
  await holds(property, 400);
});

test("[SES-12] no cache has more than half of the 32 MB, and several of one name are counted as one", () => {
  const budget = new CacheBudget();
  expect([budget.bytesMax, CACHE_BYTES_MAX]).toEqual([33_554_432, 33_554_432]);
  const text = "x".repeat(500_000); // one megabyte
  const [one, two, other] = [budget.open("texts"), budget.open("texts"), budget.open("others")];
  for (let at = 0; at < 40; at++) (at % 2 === 0 ? one : two).set(String(at), text);
  const [texts] = budget.counts().filter(({ name: each }) => each === "texts");
  expect(texts?.bytes).toBeLessThanOrEqual(16 * 1_048_576);
  expect([texts?.entries, texts?.evictions]).toEqual([16, 24]);
  for (let at = 0; at < 10; at++) other.set(String(at), text);
  expect(budget.counts().map(({ entries }) => entries)).toEqual([10, 16]); // there is room for both
  two[Symbol.dispose]();
  expect(budget.counts().map(({ entries }) => entries)).toEqual([10, 8]);
  expect([one.get("38"), two.get("39")]).toEqual([text, undefined]);
});

test("[SES-12] what is weighed counts every text, number and byte in it, and what is shared once", () => {
  expect(weightOf("four")).toBe(40);
  expect(weightOf({ a: "b" })).toBe(32 + 34 + 34);
  expect(weightOf([1, null, true])).toBe(4 * 32);
  expect(weightOf(new Uint8Array(1_000))).toBe(1_032);
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(weightOf(circle)).toBe(32 + 32 + 8 + 32);
});
