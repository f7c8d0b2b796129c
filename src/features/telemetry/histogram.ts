import { canonicalJson } from "../../base/json.ts";
import type { Attributes, HistogramPoint, HistogramReading } from "./otlp.ts";

/** Limit for attribute sets of one histogram; further ones are counted without attributes. */
const POINTS_MAX = 200;

export interface HistogramSpec {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly bounds: readonly number[];
}

/** Counts measurements in buckets, for each set of attributes. */
export class Histogram {
  readonly #spec: HistogramSpec;
  readonly #points = new Map<string, HistogramPoint>();

  constructor(spec: HistogramSpec) {
    this.#spec = spec;
  }

  record(value: number, attributes: Attributes): void {
    if (!Number.isFinite(value) || value < 0) return;
    const wanted = canonicalJson(attributes);
    const isKnown = this.#points.has(wanted) || this.#points.size < POINTS_MAX;
    const [key, ownAttributes] = isKnown ? [wanted, attributes] : ["", {}];
    const { bounds } = this.#spec;
    const before = this.#points.get(key);
    const at = bounds.findIndex((bound) => value <= bound);
    const bucket = at === -1 ? bounds.length : at;
    const buckets = before?.buckets ?? Array.from({ length: bounds.length + 1 }, () => 0);
    this.#points.set(key, {
      attributes: ownAttributes,
      count: (before?.count ?? 0) + 1,
      sum: (before?.sum ?? 0) + value,
      min: Math.min(before?.min ?? value, value),
      max: Math.max(before?.max ?? value, value),
      buckets: buckets.map((count, index) => (index === bucket ? count + 1 : count)),
    });
  }

  /** Returns the counts so far; undefined if there are none. */
  read(): HistogramReading | undefined {
    return this.#points.size === 0 ? undefined : { ...this.#spec, points: [...this.#points.values()] };
  }
}
