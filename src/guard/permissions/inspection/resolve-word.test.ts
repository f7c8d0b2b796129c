import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { hostWorld } from "../../../platform/host.ts";
import { resolveWord } from "./resolve-word.ts";

test("[PERM-04 S22] a pattern looks up the links among the listed names, and nothing below a file", async () => {
  await using folder = temporaryDirectory();
  const { files } = hostWorld(SILENT_LOG);
  const root = await files.realpath(folder.path);
  mkdirSync(join(root, "deep"));
  for (let number = 0; number < 40; number++) {
    await Bun.write(join(root, `a${number}`), "");
    await Bun.write(join(root, `deep/b${number}`), "");
  }
  symlinkSync("../a0", join(root, "deep/b-link"));
  const looked: string[] = [];
  const note = (path: string) => {
    looked.push(path);
    return path;
  };
  const watched = {
    ...files,
    realpath: (path: string) => files.realpath(note(path)),
    lstat: (path: string) => files.lstat(note(path)),
    list: (path: string) => files.list(note(path)),
  };
  const word = { kind: "glob", text: "[a-z]*/b*", pattern: "[a-z]*/b*", home: false } as const;
  const found = await resolveWord(word, [""], { files: watched, cwd: root, seen: new Map() });
  if (typeof found === "string") throw new Error(found);
  expect(found.length).toBe(41);
  expect(found.find(({ spelled }) => spelled === "deep/b-link")?.path).toBe(join(root, "a0"));
  const link = join(root, "deep/b-link");
  expect(looked.filter((path) => path !== link)).toEqual([root, join(root, "deep")]);
});
