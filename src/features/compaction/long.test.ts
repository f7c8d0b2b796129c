import { expect, test } from "bun:test";
import { converse } from "../../../test/support/long-conversation.ts";

test("[SES-13 R02 R11] over hundreds of turns every request is valid, fits, and holds what must not be lost", async () => {
  const outcome = await converse({ turns: 600, seed: 7 });
  expect(outcome.compactions).toBeGreaterThan(20);
  expect(outcome.compactions).toBeLessThan(outcome.requests / 2);
});
