import { expect, test } from "bun:test";
import { goldenPath, observe } from "../support/settings-golden.ts";
import { SETTINGS_SETUPS } from "../support/settings-setups.ts";
import { filesUnder, readSource } from "../support/source.ts";

const TIMEOUT_MS = 300_000;

for (const setup of SETTINGS_SETUPS)
  test(
    `[PROF-01 PROF-03] cinch profile show and check answer byte for byte as recorded: ${setup.name}`,
    async () => {
      const remedy = `if the change is meant: sh scripts/bun.sh test/support/settings-golden.ts ${setup.name}`;
      expect(await observe(setup), remedy).toBe(readSource(goldenPath(setup.name)));
    },
    TIMEOUT_MS,
  );

test("[PROF-03] each recorded answer belongs to a set-up", () => {
  expect(filesUnder("test/data/settings", "*.txt")).toEqual(
    SETTINGS_SETUPS.map(({ name }) => goldenPath(name)).sort(),
  );
});
