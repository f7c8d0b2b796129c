import { test } from "bun:test";
import * as fc from "fast-check";
import { holds } from "../../../test/support/property.ts";
import { NO_COUNTS, runSequence } from "../../../test/support/terminal-fuzz/run-sequence.ts";
import { sequences } from "../../../test/support/terminal-fuzz/sequences.ts";

/** `npm run soak -- --terminal 10000` runs more. */
const SEQUENCES = 200;

test("[TUI-07 TUI-08 TUI-10 PERM-14] whatever is typed and happens, nothing typed is lost, the screen is right, and the terminal comes back", async () => {
  const counts = { ...NO_COUNTS };
  await holds(
    fc.asyncProperty(sequences, async (sequence) => await runSequence(sequence, counts)),
    SEQUENCES,
  );
}, 120_000);
