import { expect, test } from "bun:test";
import { says } from "../../../test/support/mock-provider/turn.ts";
import { follow, openPlace } from "../../../test/support/place.ts";
import { until } from "../../../test/support/until.ts";

test("[TOFU-01 CTX-03] a session that ends while a prompt file is asked about reports no error", async () => {
  await using place = openPlace(says("never"));
  place.write(".cinch/prompts/review.md", "Look at $1.\n");
  await using harness = await place.open({ wishes: { attended: true } });
  await using on = await follow(harness);
  const saw = (kind: string) => on.seen.some((event) => event.kind === kind);
  await until("the question about the file", () => saw("Asked"));
  await on.connection.send({ kind: "EndSession", sessionId: harness.session });
  await until("the end of the session", () => saw("SessionEnded"));
  expect(on.seen.filter(({ kind }) => kind === "Error")).toEqual([]);
});
