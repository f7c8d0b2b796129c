import { expect, test } from "bun:test";
import { linkSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import type { Log } from "../../../base/log.ts";
import { hostWorld } from "../../../platform/host.ts";
import { FILES_PER_PATH_MAX, FOLDERS_PER_PATH_MAX, keyFiles, SEARCHED_ENTRIES_MAX } from "./key-files.ts";

test.each([
  ["files", FILES_PER_PATH_MAX, 1],
  ["files", FILES_PER_PATH_MAX - 1, 0],
  ["folders", FOLDERS_PER_PATH_MAX, 1],
  ["folders", FOLDERS_PER_PATH_MAX - 2, 0],
] as const)(
  "[PERM-04 S22] a place with more %s than are known is logged once: %d and one more",
  async (kind, count, lines) => {
    await using place = await openPlace();
    for (let at = 0; at <= count; at++) {
      if (kind === "files") writeFileSync(join(place.keys, `k${at}`), "");
      else mkdirSync(join(place.keys, `d${at}`));
    }
    for (const _ of [1, 2]) await place.known.linksBelow(place.root);
    expect(place.logged).toEqual(Array(lines).fill(place.keys));
  },
);

test("[PERM-04 S22] a folder with more entries than are looked at is logged once", async () => {
  await using place = await openPlace(SEARCHED_ENTRIES_MAX);
  const key = join(place.keys, "id");
  writeFileSync(key, "");
  linkSync(key, join(place.root, "second"));
  for (const _ of [1, 2]) await place.known.linksBelow("/many");
  expect(place.logged).toEqual(["/many"]);
  expect([...(await place.known.linksBelow(place.root))]).toEqual([[join(place.root, "second"), key]]);
});

/** A place of keys, with a folder /many that has so many entries and one more. */
async function openPlace(entries = 0) {
  const directory = temporaryDirectory();
  const keys = join(directory.path, "keys");
  mkdirSync(keys);
  const logged: unknown[] = [];
  const log: Log = {
    for: () => log,
    write: (_level, _message, fields = {}) => void logged.push(fields["path"]),
  };
  const { files } = hostWorld(log);
  const many = Array.from({ length: entries + 1 }, (_, at) => ({ name: `${at}`, kind: "other" as const }));
  const list = async (path: string) => (path === "/many" ? many : await files.list(path));
  const known = keyFiles({ ...files, list }, async () => [keys], log);
  return {
    root: directory.path,
    keys,
    known,
    logged,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
