import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { openToolRig } from "../../../../test/support/tool-rig.ts";
import type { FileInfo, Files } from "../../../base/world.ts";
import { WATCHED_CHANGE_TYPES, WATCHED_ENTRIES_MAX, WatchedTree } from "./watched-tree.ts";

const { signal } = new AbortController();
const NAMES = ["", "made", "changed", "gone"];

test("[TOOL-11] what was made, changed, moved and removed below a folder is seen once, and nothing behind links or in folders of packages", async () => {
  await using rig = openToolRig();
  const at = (name: string) => join(rig.root, name);
  for (const folder of ["deep", "deep/er", "node_modules", "node_modules/p"]) mkdirSync(at(folder));
  for (const name of ["a", "b", "deep/c", "deep/er/d", "node_modules/p/e"]) writeFileSync(at(name), "1");
  symlinkSync("/", at("link"));
  utimesSync(at("node_modules"), 1, 1); // so that it is another time when it is changed, however soon
  const tree = new WatchedTree(rig.world.files, rig.root);
  const look = async () =>
    (await tree.scan(signal)).map(({ path, type }) => `${NAMES[type]} ${relative(rig.root, path)}`).sort();
  expect(await look()).toEqual([]);
  expect(await look()).toEqual([]);
  writeFileSync(at("a"), "longer");
  writeFileSync(at("deep/new"), "1");
  writeFileSync(at("node_modules/p/e"), "longer");
  rmSync(at("b"));
  renameSync(at("deep/er"), at("moved"));
  expect(await look()).toEqual(["changed a", "gone b", "gone deep/er/d", "made deep/new", "made moved/d"]);
  expect(await look()).toEqual([]);
  mkdirSync(at("node_modules/q"));
  rmSync(at("deep"), { recursive: true });
  symlinkSync(at("moved"), at("deep"));
  expect(await look()).toEqual(["changed node_modules", "gone deep/c", "gone deep/new"]);
});

test("[TOOL-11 REL-06] files beyond the limit of a large folder are never reported, neither as present nor as removed", async () => {
  const info = (modifiedMs: number): FileInfo => ({
    kind: "file",
    size: 1,
    modifiedMs,
    mode: 0,
    identity: "",
  });
  let [looks, first] = [0, 0];
  const files: Pick<Files, "listResolved" | "lstat"> = {
    listResolved: async () =>
      Array.from({ length: WATCHED_ENTRIES_MAX + 50 }, (_, at) => ({
        name: `${first + at}`,
        kind: "file" as const,
      })),
    async lstat(path) {
      looks += 1;
      return info(path === "/r/100" ? first : 1);
    },
  };
  const tree = new WatchedTree(files, "/r");
  await tree.scan(signal);
  first = 40; // what is seen is shifted
  expect(await tree.scan(signal)).toEqual([{ path: "/r/100", type: WATCHED_CHANGE_TYPES.changed }]);
  expect(looks).toBeLessThanOrEqual(2 * WATCHED_ENTRIES_MAX);
});
