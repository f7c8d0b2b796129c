import { mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ulidSource } from "../../src/base/ids.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import type { World } from "../../src/base/world.ts";
import { lockDatabase } from "../../src/platform/files/database-lock.ts";
import { hostWorld } from "../../src/platform/host.ts";
import type { FakeClock } from "./fake-clock.ts";
import { fakeClock } from "./fake-clock.ts";

/** The real files and processes, with a clock that the test moves and ids that are the same in every run. */
export interface TestWorld extends World {
  readonly clock: FakeClock;
}

export function testWorld(parts: Partial<World> = {}, seed = 1): TestWorld {
  const clock = fakeClock();
  const random = seededRandom(seed);
  return {
    ...hostWorld(SILENT_LOG),
    random,
    ids: ulidSource(clock.now, random.bytes),
    lock: (path, signal) => lockDatabase(path, clock, signal),
    fetch: () => Promise.reject(new Error("this test world has no network")),
    ...parts,
    clock,
  };
}

/** The same bytes and numbers for the same seed (xorshift32). */
export function seededRandom(seed: number): World["random"] {
  let state = seed >>> 0 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 255),
    number: () => next() / 2 ** 32,
  };
}

/** A directory that is gone when its scope ends. Its path is resolved. */
export function temporaryDirectory(
  prefix = "cinch-test-",
  parent = tmpdir(),
): { readonly path: string } & AsyncDisposable {
  const path = realpathSync(mkdtempSync(join(parent, prefix)));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
