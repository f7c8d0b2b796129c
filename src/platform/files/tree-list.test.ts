import { expect, test } from "bun:test";
import { closeSync, mkdirSync, openSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { shell } from "../../../test/support/checkpoint-rig.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { listFolder } from "./tree-list.ts";

function listed(path: string, isOpen: boolean) {
  const descriptor = isOpen ? openSync(path, "r") : undefined;
  try {
    return listFolder(path, descriptor)?.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

test("[SES-15] a folder that is held open is listed as by its path: odd names, each kind, thousands of entries", async () => {
  await using directory = temporaryDirectory();
  const root = directory.path;
  mkdirSync(join(root, "empty"));
  shell(root, "mkdir many && cd many && seq -f 'a-name-of-some-length-%g' 5000 | xargs touch");
  shell(
    root,
    "mkdir odd && cd odd && touch $'n\\nl' $'\\xff\\xfe' ü .hidden '*' && mkdir d && ln -s d l && mkfifo f",
  );
  for (const name of ["empty", "many", "odd"]) {
    expect(listed(join(root, name), true)).toEqual(listed(join(root, name), false));
  }
  expect(listed(join(root, "many"), true)).toHaveLength(5_000);
  expect(listed(join(root, "odd"), true)).toEqual([
    { name: "*", kind: "file" },
    { name: ".hidden", kind: "file" },
    { name: "d", kind: "directory" },
    { name: "f", kind: "other" },
    { name: "l", kind: "symlink" },
    { name: "n\nl", kind: "file" },
    { name: "ü", kind: "file" },
    { name: "\udcff\udcfe", kind: "file" },
  ]);
  expect(listed(join(root, "gone"), false)).toBeUndefined();
});

test("[SES-15] what is listed is the folder that was opened, also where a link stands in its place by now", async () => {
  await using directory = temporaryDirectory();
  const [folder, moved] = [join(directory.path, "folder"), join(directory.path, "moved")];
  shell(directory.path, "mkdir folder other; touch folder/mine other/secret");
  const descriptor = openSync(folder, "r");
  renameSync(folder, moved);
  symlinkSync(join(directory.path, "other"), folder);
  expect(listFolder(folder, descriptor)).toEqual([{ name: "mine", kind: "file" }]);
  closeSync(descriptor);
});
