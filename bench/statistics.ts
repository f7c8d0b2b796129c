/** Samples of one figure. Whole milliseconds of a busy machine do not move a median. */
export interface Sampled {
  readonly median: number;
  /** The middle half of the samples lies between these. */
  readonly low: number;
  readonly high: number;
  readonly samples: number;
}

export function sampled(values: readonly number[]): Sampled {
  return {
    median: quantile(values, 0.5),
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
    samples: values.length,
  };
}

/** The value below which this part of the others lies, between two of them in proportion. */
export function quantile(values: readonly number[], part: number): number {
  if (values.length === 0) throw new Error("a quantile of nothing");
  const sorted = [...values].sort((a, b) => a - b);
  const at = part * (sorted.length - 1);
  const below = sorted[Math.floor(at)] ?? Number.NaN;
  const above = sorted[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}
