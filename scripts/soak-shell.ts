import { prove } from "../test/quiet/proof.ts";
import { shellCases } from "../test/shell/cases.ts";
import { disagreements } from "../test/shell/compare.ts";

const BATCH = 500;
/** Lines between two signs of life. */
const TOLD = 10_000;

/**
 * Tries the reading of command lines in two ways, and gives what went wrong.
 *
 * Runs so many generated lines that are judged to only read with the real programs under strace: none may write, start,
 * send or read anything else (PERM-04). Compares every multiplied trap with what a traced bash starts: deny rules go
 * by what was found in a line (PERM-02). Needs strace and bubblewrap; 200,000 lines take more than an hour.
 */
export async function soakShell(seed: number, lines: number): Promise<readonly string[]> {
  let [reportedRuns, shown] = [0, 0];
  const proof = await prove(lines, seed, ({ made, ran, failures }) => {
    for (const failure of failures.slice(shown)) console.log(`unsafe: ${failure}`);
    shown = failures.length;
    if (ran - reportedRuns < TOLD) return;
    reportedRuns = ran;
    console.log(`${ran} lines ran, of ${made} that were made; ${failures.length} were unsafe`);
  });
  console.log(`seed ${seed}: ${proof.ran} lines judged to only read ran, of ${proof.made} that were made`);
  const cases = shellCases(seed);
  console.log(`seed ${seed}: ${cases.length} command lines are compared with a traced bash`);
  const failures = [...proof.failures];
  for (let at = 0; at < cases.length; at += BATCH) {
    const found = await disagreements(cases.slice(at, at + BATCH));
    failures.push(...found.map(({ command, what }) => `${what}: ${JSON.stringify(command)}`));
  }
  return failures;
}
