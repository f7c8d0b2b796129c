import { shellCases } from "../test/shell/cases.ts";
import { disagreements } from "../test/shell/compare.ts";

const BATCH = 500;

/**
 * Compares every generated command line with what a traced bash does (PERM-04), and gives what bash did and the reading
 * of the line did not find. Needs bubblewrap; takes some minutes.
 */
export async function soakShell(seed: number): Promise<readonly string[]> {
  const cases = shellCases(seed);
  console.log(`seed ${seed}: ${cases.length} command lines`);
  const failures: string[] = [];
  for (let at = 0; at < cases.length; at += BATCH) {
    const found = await disagreements(cases.slice(at, at + BATCH));
    failures.push(...found.map(({ command, what }) => `${what}: ${JSON.stringify(command)}`));
  }
  return failures;
}
