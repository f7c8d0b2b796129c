import { holds } from "../../../test/support/property.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { listsFiles, setsBack, showsChanges, sparesOthers } from "../../../test/support/rewind-properties.ts";

const gitTest = requireProgram("git");

/**
 * Number of runs, small here: a run takes some 80 ms. `npm run soak -- --rewinds N` takes any number, each time others.
 */
const RUNS = 40;

/** Changed from time to time by hand, so that other cases are drawn. */
const SEED = 827_501_879;

gitTest(
  "[SES-15] after any changes by commands, in a repository or not, each turn's start and end can be restored",
  async () => {
    await holds(setsBack(), RUNS, SEED);
  },
  300_000,
);

gitTest(
  "[SES-15] what others changed between turns stays to the last bit, and goes where a person says so",
  async () => {
    await holds(sparesOthers(), RUNS, SEED);
  },
  300_000,
);

gitTest(
  "[CTL-19 SES-15] the changes of each call, turn and session are patches that make the files after of those before",
  async () => {
    await holds(showsChanges(), RUNS, SEED);
  },
  300_000,
);

gitTest(
  "[CTL-19 SES-15] a turn's end lists the files that its changes show, also those that commands wrote",
  async () => {
    await holds(listsFiles(), RUNS, SEED);
  },
  300_000,
);
