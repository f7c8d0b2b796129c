import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { findNamedScripts } from "./named-scripts.ts";

test("[HOOK-01 S39] the scripts that commands of hooks name are found, by any path; programs of the system and folders are none", async () => {
  await using folder = temporaryDirectory();
  const home = folder.path;
  const root = join(home, "work");
  for (const file of ["bin/a.sh", "bin/b.sh", "bin/c.sh", "work/scripts/d.sh", "work/package.json"])
    await Bun.write(join(home, file), "exit 0\n");
  const commands = [
    `${home}/bin/a.sh --strict`,
    'test -f package.json && sh "$HOME/bin/b.sh"; CHECK=~/bin/c.sh /bin/sh scripts/d.sh > /dev/null',
    "/usr/bin/env true | tee /home/user/missing/e.sh; cd scripts/; x=$(cat $PWD/scripts/d.sh)",
    `echo ${"a/".repeat(3_000)}`,
  ];
  expect(await findNamedScripts(testWorld().files, commands, { root, home })).toEqual([
    join(home, "bin/a.sh"),
    join(home, "bin/b.sh"),
    join(home, "bin/c.sh"),
    join(root, "scripts/d.sh"),
  ]);
});
