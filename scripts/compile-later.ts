/** Counts of calls after which the JavaScript engine compiles a function, as Bun has them and as cinch wants them. */
const THRESHOLDS = [
  { option: "thresholdForJITAfterWarmUp", ours: 5_000, theirs: 500 },
  { option: "thresholdForJITSoon", ours: 1_000, theirs: 100 },
  { option: "thresholdForOptimizeAfterWarmUp", ours: 20_000, theirs: 1_000 },
  { option: "thresholdForOptimizeAfterLongWarmUp", ours: 20_000, theirs: 1_000 },
] as const;

/**
 * Returns a copy of a Bun executable whose JavaScript engine compiles later (PERF-02).
 *
 * A session of twenty rounds runs most functions a few hundred times: with Bun's thresholds a third of its processor
 * time goes to compilers, whose code it then hardly uses. Hot loops still compile: each iteration counts.
 * No flag and no interface of Bun sets these options, and a variable would need another process. The defaults stand as
 * one constant of 16 bytes in the executable of every platform.
 * @throws Error if the executable does not hold that constant exactly once: then this is another Bun than the one that
 * this was written for.
 */
export function laterCompilation(executable: Uint8Array): Uint8Array {
  const copy = Buffer.from(executable);
  const place = copy.indexOf(vector("theirs"));
  if (place < 0 || copy.indexOf(vector("theirs"), place + 1) >= 0) {
    throw new Error(
      "this Bun does not hold the thresholds of its compilers once; see scripts/compile-later.ts",
    );
  }
  copy.set(vector("ours"), place);
  return copy;
}

/** Returns the options with the values that they get, for tests. */
export function compileThresholds(): Readonly<Record<string, number>> {
  return Object.fromEntries(THRESHOLDS.map(({ option, ours }) => [option, ours]));
}

/** Every platform of Bun is little-endian. */
function vector(whose: "ours" | "theirs"): Buffer {
  const bytes = Buffer.alloc(4 * THRESHOLDS.length);
  for (const [at, threshold] of THRESHOLDS.entries()) bytes.writeInt32LE(threshold[whose], 4 * at);
  return bytes;
}
