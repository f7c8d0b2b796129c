import { expect, test } from "bun:test";
import { checkLine } from "../../src/guard/permissions/inspection/read-checks.ts";
import { analyse } from "../../src/shell/analyse.ts";
import { chance } from "../support/chance.ts";
import { requireProgram } from "../support/requires.ts";
import { commandsOf, shellCases } from "./cases.ts";
import { disagreements } from "./compare.ts";

/** Changed from time to time by hand, so that other cases are drawn; `npm run soak -- --shell` tries all. */
const SEED = 20_261_121;
const TRACED = 240;
const CASES = shellCases(SEED);

test("[PERM-04 S07] traps and safe commands are multiplied to more than five thousand cases, and no trap is quiet by its words", () => {
  expect(CASES.length).toBeGreaterThan(5_000);
  // These are only told by where their files lie, which the words do not say.
  const byPlace = new Set(commandsOf("traps").filter((cmd) => checkLine(analyse(cmd)).kind === "reads"));
  expect([...byPlace]).toEqual([
    "cat ~/.ssh/id_ed25519",
    "head -5 .env",
    "cat src/../.env.local",
    "tail -n 20 ~/.bash_history",
  ]);
  const traps = new Set(commandsOf("traps"));
  const quiet = CASES.filter(
    ({ command, from }) =>
      traps.has(from) && !byPlace.has(from) && checkLine(analyse(command)).kind === "reads",
  );
  expect(quiet).toEqual([]);
});

// Seen red with the reading of mapfile callbacks taken out, and with the marks of xargs left in scripts.
requireProgram("bwrap")(
  "[PERM-04 S07 S11] what a traced bash starts was found in the line before, in a sample of them",
  async () => {
    const random = chance(SEED).number;
    const sample = CASES.filter(() => random() < TRACED / CASES.length);
    expect(sample.length).toBeGreaterThan(TRACED / 2);
    expect(await disagreements(sample)).toEqual([]);
  },
  300_000,
);
