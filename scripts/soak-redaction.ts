import * as fc from "fast-check";
import { piecesGiveTheWhole, twiceIsOnce } from "../test/support/redaction-properties.ts";

/** Holds the properties of redaction against so many random texts, made to begin and end secrets (SES-05, R06). */
export function soakRedaction(runs: number, seed: number): readonly string[] {
  console.log(`seed ${seed}: ${runs} runs of each`);
  const failures: string[] = [];
  const properties = { twiceIsOnce: twiceIsOnce(), piecesGiveTheWhole: piecesGiveTheWhole() };
  for (const [name, property] of Object.entries(properties)) {
    const found = fc.check(property, { numRuns: runs, seed });
    if (found.failed) failures.push(`${name}: ${fc.defaultReportMessage(found) ?? "no report"}`);
    console.log(`${name}: ${found.numRuns} runs`);
  }
  return failures;
}
