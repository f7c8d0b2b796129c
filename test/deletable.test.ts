import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  checkTypes,
  copyWithout,
  DELETABLE,
  errorsNamed,
  findUnused,
  generate,
  isShared,
  NEEDED_UNNAMED,
  neededFeatures,
  OF_THE_WHOLE,
} from "./support/deletable.ts";
import { ROOT } from "./support/source.ts";
import { temporaryDirectory } from "./support/world.ts";

/** For hangs. */
const SLOW_MS = 300_000;

test("[DOC-01] a feature can be deleted, unless a listed file imports it", () => {
  const folders = readdirSync(join(ROOT, "src/features")).sort();
  expect([...DELETABLE, ...neededFeatures()].sort()).toEqual(folders);
});

test("[DOC-01] every test that needs all features, or one that it does not name, exists", () => {
  const listed = [...OF_THE_WHOLE, ...Object.values(NEEDED_UNNAMED).flat()];
  expect(listed.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

for (const feature of DELETABLE) {
  test(`[DOC-01] nothing names an error of ${feature}`, () => {
    expect(errorsNamed(feature)).toEqual([]);
  });
}

// All at once: what is right without all of them is right without each of them, since none imports another or names its
// errors (above). Only what several of them share is unused without all of them. `npm run soak -- --deletable`
// deletes one at a time and runs the tests that are left.
test(
  "[DOC-01] without these features types are right and nothing is unused",
  async () => {
    await using directory = temporaryDirectory();
    const copy = join(directory.path, "copy");
    copyWithout(DELETABLE, copy);
    expect(await generate(copy)).toEqual([]);
    const [types, unused] = await Promise.all([checkTypes(copy), findUnused(copy)]);
    expect({ types, unused: unused.filter((each) => !isShared(each)) }).toEqual({ types: [], unused: [] });
  },
  SLOW_MS,
);
