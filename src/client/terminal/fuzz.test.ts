import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { BROKEN_ONCE } from "../../../test/support/terminal-fuzz/broken-once.ts";
import { PROFILES, sequencesOf } from "../../../test/support/terminal-fuzz/sequences.ts";
import { faultOf } from "../../../test/support/terminal-fuzz/smallest.ts";

/** Sequences of each profile. `npm run soak -- --terminal 10000` runs more, and makes broken ones small. */
const SEQUENCES = 20;
/** Scenes of each: longer sequences are left to that. */
const SCENES_MAX = 4;

for (const profile of PROFILES)
  test(`[TUI-07 TUI-08 TUI-10 PERM-14] whatever is typed and happens (${profile}), nothing typed is lost, the screen is right, and the terminal comes back`, async () => {
    const seed = Math.floor(fc.sample(fc.nat(), 1)[0] ?? 0);
    for (const sequence of fc.sample(sequencesOf(profile, SCENES_MAX), { numRuns: SEQUENCES, seed }))
      expect({ seed, fault: await faultOf(sequence) }).toEqual({ seed, fault: undefined });
  }, 120_000);

for (const [what, sequence] of Object.entries(BROKEN_ONCE))
  test(`[TUI-07 TUI-10] no more: ${what}`, async () => {
    expect(await faultOf(sequence)).toBeUndefined();
  });
