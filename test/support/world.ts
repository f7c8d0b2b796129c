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

/**
 * The real files and processes, with a clock that the test moves and ids that are the same in every run.
 *
 * Its machine does not end the processes of a killed run by the ids of their calls: other tests have the same ids,
 * and run at the same time. A test of that passes a machine of its own, or starts real engines.
 */
export interface TestWorld extends World {
  readonly clock: FakeClock;
}

export function testWorld(parts: Partial<World> = {}, seed = 1): TestWorld {
  const clock = fakeClock();
  const random = seededRandom(seed);
  const host = hostWorld(SILENT_LOG);
  const { endMarked: _, ...machine } = host.machine;
  return {
    ...host,
    machine,
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
