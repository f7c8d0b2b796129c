import { converse } from "../test/support/long-conversation.ts";

const TURNS = 10_000;
const STEP = 1_000;
/** Megabytes that a thousand turns may add once everything has been used, as PERF-05 has it. */
const GROWTH_MB_MAX = 1;

/**
 * Talks for 10,000 turns with a small window (SES-13, PERF-05): every request is looked at, and the memory that is left
 * after each thousand turns. Gives what was wrong. About two minutes for each conversation.
 */
export async function soakCompaction(seed: number): Promise<readonly string[]> {
  const heaps: number[] = [];
  let startMs = performance.now();
  try {
    const outcome = await converse({
      turns: TURNS,
      seed,
      afterTurn(turn) {
        if (turn % STEP !== 0) return;
        Bun.gc(true);
        heaps.push(process.memoryUsage().heapUsed / 2 ** 20);
        const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
        console.log(`seed ${seed}: ${turn} turns, ${seconds} s, ${heaps.at(-1)?.toFixed(1)} MB`);
        startMs = performance.now();
      },
    });
    console.log(`seed ${seed}: ${JSON.stringify(outcome)}`);
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
  const growth = growthOf(heaps.slice(3));
  console.log(`seed ${seed}: ${growth.toFixed(2)} MB more for each thousand turns`);
  return growth > GROWTH_MB_MAX ? [`memory grows by ${growth.toFixed(2)} MB in ${STEP} turns`] : [];
}

/** From lowest point to lowest point: between them a store in memory fills up and lets go. */
function growthOf(heaps: readonly number[]): number {
  const half = Math.floor(heaps.length / 2);
  const [before, after] = [heaps.slice(0, half), heaps.slice(-half)];
  return (Math.min(...after) - Math.min(...before)) / (heaps.length - half);
}
