import { describe, expect, test } from "bun:test";
import { SCENARIOS } from "../../../src/conformance/scenarios/all.ts";
import { BROKEN, caught, neighbours, wiresOf } from "./caught.ts";

/** Against hanging alone. */
const MS_MAX = 300_000;

test("[CTL-13] every scenario has a broken server that it is shown to catch", () => {
  const shown = new Set(BROKEN.map(({ scenario }) => scenario));
  expect(SCENARIOS.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([]);
});

// Beside all others, on every test run, would take minutes: npm run soak -- --conformance does that.
describe("broken servers", () => {
  for (const broken of BROKEN) {
    const { scenario, how } = broken;
    test(
      `[CTL-13] ${how}: caught by ${scenario}, and by none of its neighbours`,
      async () => {
        const [first = "rest", ...others] = wiresOf(broken).toReversed();
        expect(await caught(broken, first, neighbours(broken))).toEqual([scenario]);
        const only = neighbours(broken).filter(({ id }) => id === scenario);
        for (const wire of others)
          expect([wire, ...(await caught(broken, wire, only))]).toEqual([wire, scenario]);
      },
      MS_MAX,
    );
  }
});
