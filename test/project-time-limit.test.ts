import { expect, test } from "bun:test";
import { effectiveKeys } from "../src/app/explain/effective-keys.ts";
import { openReview } from "../src/app/explain/review.ts";
import { openPlace, turn } from "./support/place.ts";

for (const [project, own, holds] of [
  ["1s", 600_000, "1s"],
  ["2h", 1_000, "1s"],
  ["1s", undefined, "1s"],
] as const) {
  test(`[ENG-29 PROF-03] a project's max_time of ${project} lowers the user's limit (${own ?? "none"} ms) and never raises it`, async () => {
    await using place = openPlace({ parts: [{ text: "and on " }], fault: { kind: "endless" } });
    place.write(".git/HEAD", "ref: x\n");
    place.write(".cinch/config.toml", `max_time = "${project}"\n`);
    const limit = own === undefined ? {} : { maxTimeMs: own };
    const { ledger, items } = await openReview(place.options({ wishes: limit }));
    await ledger.approve(items);
    const { keys } = await effectiveKeys(place.options({ wishes: limit }));
    expect(keys.find(({ key }) => key === "limits.time")?.value).toBe(holds);
    await using harness = await place.open({ wishes: limit });
    const events = await turn(harness, "go on");
    expect(events.findLast(({ kind }) => kind === "Error")?.payload).toMatchObject({
      message: expect.stringContaining(`time limit (${holds})`),
    });
    expect(events.at(-1)?.payload).toMatchObject({ reason: "time_limit" });
  }, 60_000);
}
