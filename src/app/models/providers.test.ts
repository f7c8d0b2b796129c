import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { CacheBudget } from "../../base/cache-budget.ts";
import { messageOf } from "../../base/errors.ts";
import { loadConfig } from "../../config/config.ts";
import { helperClient } from "../../credentials/helper/client.ts";
import { SECTIONS } from "../plan/sections.ts";
import { openProviders } from "./providers.ts";

test("[CRED-03 REL-03] leaving while the process that holds the keys is still starting waits for nothing", async () => {
  const world = testWorld();
  await using directory = temporaryDirectory();
  const path = directory.path;
  const providers = openProviders({
    world,
    config: await loadConfig(world, join(path, "config.toml"), SECTIONS),
    environment: {},
    caches: new CacheBudget(),
    cacheDirectory: path,
    configDirectory: path,
    helper: helperClient(), // which is never told that its helper is ready
    paced: false,
  });
  const left = new AbortController();
  const choosing = providers.choose(undefined, {}, left.signal);
  left.abort(new Error("left"));
  expect(await choosing.catch(messageOf)).toBe("left"); // awaited, so that the time limit counts
});
