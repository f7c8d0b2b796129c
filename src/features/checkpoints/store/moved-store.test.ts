import { expect, test } from "bun:test";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { calls, says } from "../../../../test/support/mock-provider/turn.ts";
import { openPlace, turn } from "../../../../test/support/place.ts";
import { testWorld } from "../../../../test/support/world.ts";
import { checkpointsFolder } from "./checkpoints-folder.ts";

const BYTES_MAX = 20_000;

/** Writes old checkpoints of a log, larger than the limit. */
function writeOldCheckpoints(folder: string): void {
  const record = join(folder, "1.record");
  mkdirSync(folder, { recursive: true });
  writeFileSync(record, "x".repeat(2 * BYTES_MAX));
  utimesSync(record, 0, 0);
}

test("[SES-15 SES-06] checkpoints of a log that the store does not have stay, however old, and at the limit of space too", async () => {
  await using place = openPlace(calls("Write", { file_path: "a.txt", content: "new\n" }), says("done"));
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[permissions]\nallow = ["Write:*"]\n[checkpoint]\nbytes_max = ${BYTES_MAX}\n[sandbox]\nbackend = "none"\n`,
  );
  const folder = join(checkpointsFolder(join(place.root, "data")), testWorld().ids.next("log"));
  writeOldCheckpoints(folder);
  await using harness = await place.open();
  await turn(harness, "write a file");
  expect(existsSync(join(folder, "1.record"))).toBe(true);
});
