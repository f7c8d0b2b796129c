import * as fc from "fast-check";
import type { FuzzCounts } from "../test/support/terminal-fuzz/run-sequence.ts";
import { NO_COUNTS } from "../test/support/terminal-fuzz/run-sequence.ts";
import type { Profile } from "../test/support/terminal-fuzz/sequences.ts";
import { PROFILES, sequencesOf } from "../test/support/terminal-fuzz/sequences.ts";
import { faultOf, smallest } from "../test/support/terminal-fuzz/smallest.ts";

/** Sequences of a profile before the memory is measured first: code and caches of the program are there by then. */
const WARM_SEQUENCES = 40;
/** Bytes by which the memory may grow in each later sequence, and beside that. */
const GROWTH_EACH_BYTES_MAX = 20_000;
const GROWTH_BYTES_MAX = 32_000_000;
/** Broken sequences of a profile that are made small and reported. */
const REPORTED_MAX = 3;

/**
 * Runs the terminal client through so many random sequences of keys and events, of all profiles in turn (TUI-07,
 * TUI-08, TUI-10, PERM-14).
 */
export async function soakTerminal(
  runs: number,
  seed: number,
  profiles: readonly Profile[] = PROFILES,
): Promise<readonly string[]> {
  console.log(`seed ${seed}: ${runs} sequences`);
  const counts: FuzzCounts = { ...NO_COUNTS };
  const startNs = Bun.nanoseconds();
  const failures: string[] = [];
  for (const profile of profiles)
    failures.push(...(await soakProfile(profile, { runs: Math.ceil(runs / profiles.length), seed, counts })));
  for (const [what, times] of Object.entries(counts)) console.log(`${String(times).padStart(8)} ${what}`);
  console.log(`${counts.sequences} runs in ${secondsSince(startNs)} s`);
  return failures;
}

async function soakProfile(
  profile: Profile,
  { runs, seed, counts }: { readonly runs: number; readonly seed: number; readonly counts: FuzzCounts },
): Promise<readonly string[]> {
  const startNs = Bun.nanoseconds();
  const failures: string[] = [];
  let broken = 0;
  let warmBytes = Number.POSITIVE_INFINITY;
  for (let at = 0; at < runs; at += 1) {
    if (at === WARM_SEQUENCES) warmBytes = usedBytes();
    const [sequence] = fc.sample(sequencesOf(profile), { numRuns: 1, seed: seed + at });
    const fault = sequence === undefined ? undefined : await faultOf(sequence, counts);
    if (sequence === undefined || fault === undefined) continue;
    broken += 1;
    if (broken > REPORTED_MAX) continue;
    const small = await smallest(sequence, fault);
    failures.push(`${profile}, seed ${seed + at}: ${fault}\n${JSON.stringify(small)}`);
  }
  const grown = usedBytes() - warmBytes;
  if (grown > GROWTH_BYTES_MAX + GROWTH_EACH_BYTES_MAX * runs)
    failures.push(`${profile}: the memory has grown by ${grown} bytes in ${runs} sequences`);
  const growth = Number.isFinite(grown) ? `, ${(grown / 1e6).toFixed(1)} MB more` : "";
  console.log(`${profile}: ${runs} in ${secondsSince(startNs)} s${growth}, ${broken} broken`);
  return failures;
}

function usedBytes(): number {
  Bun.gc(true);
  return process.memoryUsage().heapUsed;
}

function secondsSince(startNs: number): number {
  return Math.round((Bun.nanoseconds() - startNs) / 1e9);
}
