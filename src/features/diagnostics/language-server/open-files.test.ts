import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openToolRig } from "../../../../test/support/tool-rig.ts";
import { OpenFiles } from "./open-files.ts";

test("[TOOL-11] a file that is created again is new to the server, and its old diagnostics are dropped", async () => {
  await using rig = openToolRig();
  const [sent, closed]: [string[], string[]] = [[], []];
  const files = new OpenFiles({
    files: rig.world.files,
    language: undefined,
    notify: async (method) => void sent.push(method.replace("textDocument/", "")),
    onClosed: (path) => closed.push(path),
  });
  const path = join(rig.root, "a.txt");
  writeFileSync(path, "bad");
  expect(await files.sync(path)).toBe(true);
  rmSync(path);
  expect([await files.sync(path), await files.sync(path)]).toEqual([false, false]);
  expect([files.versionOf(path), files.paths, closed]).toEqual([undefined, [], [path]]);
  writeFileSync(path, "good");
  expect([await files.sync(path), files.versionOf(path)]).toEqual([true, 1]);
  expect(sent).toEqual(["didOpen", "didClose", "didOpen"]);
});

test("[TOOL-11] so many files are open at once, and the one that was changed longest ago is closed for the next", async () => {
  await using rig = openToolRig();
  const closed: string[] = [];
  const files = new OpenFiles({
    files: rig.world.files,
    language: undefined,
    notify: async () => undefined,
    onClosed: (path) => closed.push(path),
  });
  const at = (number: number) => join(rig.root, `${number}.txt`);
  for (let number = 0; number < 32; number++) writeFileSync(at(number), "good");
  for (let number = 0; number < 32; number++) await files.sync(at(number));
  writeFileSync(at(0), "changed");
  writeFileSync(at(32), "good");
  await files.sync(at(0));
  await files.sync(at(32));
  expect([closed, files.paths.length]).toEqual([[at(1)], 32]);
});
