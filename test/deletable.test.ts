import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  checkTypes,
  checkUnused,
  copyWithout,
  DELETABLE,
  errorsNamed,
  generate,
  importersOf,
  NEEDED,
} from "./support/deletable.ts";
import { ROOT } from "./support/source.ts";
import { temporaryDirectory } from "./support/world.ts";

/** For hangs. */
const SLOW_MS = 300_000;

test("[DOC-01] every feature can be deleted, or stands in the list of those that something else needs", () => {
  const folders = readdirSync(join(ROOT, "src/features")).sort();
  expect([...DELETABLE, ...Object.keys(NEEDED)].sort()).toEqual(folders);
  expect(Object.keys(NEEDED).filter((feature) => importersOf(feature).length === 0)).toEqual([]);
});

for (const feature of DELETABLE) {
  test(`[DOC-01] nothing but the list of features imports ${feature}, and nothing names its errors`, () => {
    expect(importersOf(feature)).toEqual([]);
    expect(errorsNamed(feature)).toEqual([]);
  });
}

// All at once: what is right without all of them is right without each of them, since none imports another or names its
// errors (above). `npm run soak -- --deletable` deletes one at a time and runs the tests that are left.
test(
  "[DOC-01] without these features types are right and nothing is unused",
  async () => {
    await using directory = temporaryDirectory();
    const copy = join(directory.path, "copy");
    copyWithout(DELETABLE, copy);
    expect(await generate(copy)).toEqual([]);
    const [types, unused] = await Promise.all([checkTypes(copy), checkUnused(copy)]);
    expect({ types, unused }).toEqual({ types: [], unused: [] });
  },
  SLOW_MS,
);
