import { expect, test } from "bun:test";
import { liveLong } from "./support/long-life.ts";

/** What chance may add; one held for each turn or session would be hundreds. */
const ADDED_MAX = 20;

test("[REL-04] a thousand turns of one session, and two hundred sessions of one engine, leave nothing behind that somebody forgot", async () => {
  const { turns, sessions } = await liveLong({ turns: 1_000, sessions: 200 });
  for (const [of, added] of Object.entries({ turns, sessions })) {
    for (const [what, count] of Object.entries(added))
      expect([of, what, count <= ADDED_MAX]).toEqual([of, what, true]);
  }
}, 30_000);
