import * as fc from "fast-check";
import { messageOf } from "../src/base/errors.ts";
import type { FuzzCounts } from "../test/support/terminal-fuzz/run-sequence.ts";
import { NO_COUNTS, runSequence } from "../test/support/terminal-fuzz/run-sequence.ts";
import { sequences } from "../test/support/terminal-fuzz/sequences.ts";

/** Runs the terminal client through so many random sequences of keys and events (TUI-07, TUI-08, TUI-10, PERM-14). */
export async function soakTerminal(runs: number, seed: number): Promise<readonly string[]> {
  console.log(`seed ${seed}: ${runs} sequences`);
  const counts: FuzzCounts = { ...NO_COUNTS };
  const startMs = performance.now();
  const property = fc.asyncProperty(sequences, async (sequence) => await runSequence(sequence, counts));
  const found = await fc.check(property, { numRuns: runs, seed });
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  for (const [what, times] of Object.entries(counts)) console.log(`${String(times).padStart(8)} ${what}`);
  console.log(`${found.numRuns} runs in ${seconds} s`);
  if (!found.failed) return [];
  return [`${messageOf(found.errorInstance)}\n${fc.defaultReportMessage(found) ?? "no report"}`];
}
