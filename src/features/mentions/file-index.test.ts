import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../test/support/until.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { CacheBudget } from "../../base/cache-budget.ts";
import { SILENT_LOG } from "../../base/log.ts";
import type { World } from "../../base/world.ts";
import { hostWorld } from "../../platform/host.ts";
import { hostRipgrep } from "../../platform/ripgrep.ts";
import type { SessionHost } from "../../session/host.ts";
import type { FileList } from "./file-index.ts";
import { FileIndex, INDEX_FRESH_MS, INDEX_KEPT_MS, INDEXED_FILES_MAX } from "./file-index.ts";

const { signal } = new AbortController();
const texts = ({ entries }: FileList) => entries.map(({ text }) => text);

/** An index over a folder, whose clock stands still. */
function openIndex(root: string, spawn?: World["spawn"]) {
  const host = hostWorld(SILENT_LOG);
  const clock = { now: 1_000_000, listings: 0 };
  const world: World = {
    ...host,
    clock: { ...host.clock, now: () => clock.now },
    spawn(options) {
      clock.listings += 1;
      return (spawn ?? host.spawn)(options);
    },
  };
  const workspace = { root } as SessionHost["workspace"];
  const end = new AbortController();
  const parts = { world, workspace, caches: new CacheBudget(), ripgrep: hostRipgrep(root) };
  return { index: new FileIndex(parts, end.signal), clock, end };
}

test("[CTL-19] the files are listed once for many keys, and again behind the answer when the list is old", async () => {
  await using folder = temporaryDirectory();
  writeFileSync(join(folder.path, "a.txt"), "x");
  const { index, clock } = openIndex(folder.path);
  const lists = await Promise.all([index.list(signal), index.list(signal)]);
  expect(lists.map(texts)).toEqual([["a.txt"], ["a.txt"]]);
  clock.now += INDEX_FRESH_MS;
  writeFileSync(join(folder.path, "b.txt"), "x");
  expect(texts(await index.list(signal))).toEqual(["a.txt"]);
  expect(clock.listings).toBe(1);
  clock.now += 1;
  expect(texts(await index.list(signal))).toEqual(["a.txt"]);
  await until("the new list", async () => texts(await index.list(signal)).length === 2);
  expect(clock.listings).toBe(2);
  rmSync(join(folder.path, "a.txt"));
  clock.now += INDEX_KEPT_MS + 1;
  expect(texts(await index.list(signal))).toEqual(["b.txt"]);
  await index.settle();
});

test("[CTL-19] more than 50,000 files are cut, and the list says so; folders of the files are in it", async () => {
  const records = Array.from({ length: INDEXED_FILES_MAX + 1 }, (_, at) => `./d/${at}.ts`).join("\0");
  const bytes = new TextEncoder().encode(`${records}\0`);
  const { index } = openIndex(
    "/nowhere",
    () =>
      ({
        pid: 1,
        stdout: streamOf(bytes),
        stderr: streamOf(new Uint8Array()),
        exited: Promise.resolve({ kind: "code", code: 0 }),
        kill: () => undefined,
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }) as unknown as ReturnType<World["spawn"]>,
  );
  const list = await index.list(signal);
  expect([list.entries.length, list.cut]).toEqual([INDEXED_FILES_MAX + 1, true]);
  expect(list.entries[0]?.text).toBe("d/");
});

test("[CTL-19] the end of the session ends a listing, and who waits for it is released by its own signal", async () => {
  const { index, end } = openIndex(
    "/nowhere",
    () =>
      ({
        stdout: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) },
        stderr: streamOf(new Uint8Array()),
        exited: new Promise(() => undefined),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }) as unknown as ReturnType<World["spawn"]>,
  );
  const asking = new AbortController();
  const listed = index.list(asking.signal);
  asking.abort(new Error("left"));
  await expect(listed).rejects.toThrow("left");
  end.abort(new Error("ended"));
});

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
