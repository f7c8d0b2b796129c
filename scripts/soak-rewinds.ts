import * as fc from "fast-check";
import { setsBack, sparesOthers } from "../test/support/rewind-properties.ts";

/** Sets files back after so many random turns of commands, alone and with others at work (SES-15). */
export async function soakRewinds(runs: number, seed: number): Promise<readonly string[]> {
  console.log(`seed ${seed}: ${runs} runs of each`);
  const failures: string[] = [];
  for (const [name, property] of Object.entries({ setsBack: setsBack(), sparesOthers: sparesOthers() })) {
    const found = await fc.check(property, { numRuns: runs, seed });
    if (found.failed) failures.push(`${name}: ${fc.defaultReportMessage(found) ?? "no report"}`);
    console.log(`${name}: ${found.numRuns} runs`);
  }
  return failures;
}
