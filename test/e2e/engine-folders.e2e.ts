import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { cinchHome } from "../support/cinch.ts";
import { startServing } from "../support/serving.ts";

test("[CTL-10 S30] an engine closes its folders to others before it puts a socket there", async () => {
  using home = cinchHome();
  const folders = ["data/cinch", "state/cinch"].map((name) => join(home.path, name));
  for (const folder of folders) {
    mkdirSync(folder);
    chmodSync(folder, 0o777); // whatever the mask is
  }
  await using _serving = await startServing(home, ["--profile", "conformance"]);
  expect(folders.map((folder) => statSync(folder).mode & 0o777)).toEqual([0o755, 0o755]);
}, 60_000);
