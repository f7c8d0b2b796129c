import { expect, test } from "bun:test";
import { killRounds } from "./support/kill-rig.ts";

/** `npm run soak -- --engines 2000` kills more. */
const KILLS = 100;
const LANES = 3;

test(`[REL-02 ENG-08 CTL-14 SES-17 SES-07 SES-03 R13 R38] of ${KILLS} engines killed at random moments, none loses what it acknowledged, does a thing twice or uses an id twice`, async () => {
  const report = await killRounds(KILLS, LANES);
  expect(report.failures).toEqual([]);
  expect(report.kills).toBe(KILLS);
  // Else the kills came when nothing was under way, and nothing was shown.
  expect(report.inTurns).toBeGreaterThan(KILLS / 3);
  expect(report.effects).toBeGreaterThan(KILLS / 3);
  // Else no kill came between the showing of a delta and its writing.
  expect(report.lost).toBeGreaterThan(0);
}, 600_000);
