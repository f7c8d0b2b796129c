import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { removeLeftovers, sandboxRecord } from "./sandbox-leftovers.ts";

/** A workspace and cinch's folder, with what a session made for its sandbox. */
function ground() {
  const directory = temporaryDirectory();
  const [root, folder, base] = [
    join(directory.path, "workspace"),
    join(directory.path, "sandboxes"),
    join(directory.path, "cinch-a1B2c3"),
  ];
  const made = [".git", ".cinch", "empty"].map((name) => join(root, name));
  const make = () => {
    for (const path of [...made.slice(0, 2), join(base, "tmp")]) mkdirSync(path, { recursive: true });
    writeFileSync(join(root, "empty"), "");
  };
  make();
  return { directory, root, folder, base, made, make };
}

/** A world in which a process with another id has ended. */
function worldOf(pid: number, living: readonly number[]) {
  const world = testWorld();
  return { ...world, machine: { ...world.machine, pid, isAlive: (id: number) => living.includes(id) } };
}

test("[REL-03] a session that was killed leaves nothing that a later start does not remove", async () => {
  const { directory, root, folder, base, made } = ground();
  await using _gone = directory;
  await sandboxRecord(worldOf(1, [1]), folder, root).add({ base, made, absent: [] });
  await removeLeftovers(worldOf(2, [1, 2]), folder);
  expect(made.every((path) => existsSync(path))).toBe(true);
  await removeLeftovers(worldOf(2, [2]), folder);
  expect([...readdirSync(root), ...readdirSync(folder), existsSync(base)]).toEqual([false]);
});

test("[REL-03 R29] what somebody filled since then stays", async () => {
  const { directory, root, folder, base, made } = ground();
  await using _gone = directory;
  await sandboxRecord(worldOf(1, [1]), folder, root).add({ base, made, absent: [] });
  writeFileSync(join(root, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(root, "empty"), "full");
  await removeLeftovers(worldOf(2, [2]), folder);
  expect(readdirSync(root).sort()).toEqual([".git", "empty"]);
});

test("[S26 R29] while another session stands on the workspace, what it mounts over stays", async () => {
  const { directory, root, folder, base, made } = ground();
  await using _gone = directory;
  const first = sandboxRecord(worldOf(1, [1, 2]), folder, root);
  await first.add({ base, made, absent: [] });
  const second = sandboxRecord(worldOf(2, [1, 2]), folder, root);
  await second.add({ base: join(directory.path, "cinch-second"), made: [], absent: [] });
  await first.end();
  expect(readdirSync(root).sort()).toEqual([".cinch", ".git", "empty"]);
  await second.end();
  await removeLeftovers(worldOf(3, [3]), folder);
  expect([...readdirSync(root), ...readdirSync(folder)]).toEqual([]);
});

test("[S26 REL-03] what a command put where nothing may be goes with the leavings of its session, and nothing by another name", async () => {
  const { directory, root, folder, base } = ground();
  await using _gone = directory;
  const [planted, other] = [join(root, ".git", "commondir"), join(root, "commondir.txt")];
  for (const path of [planted, other]) writeFileSync(path, "../evil\n");
  await sandboxRecord(worldOf(1, [1]), folder, root).add({ base, made: [], absent: [planted, other] });
  await removeLeftovers(worldOf(2, [1, 2]), folder);
  expect(existsSync(planted)).toBe(true);
  await removeLeftovers(worldOf(2, [2]), folder);
  expect([existsSync(planted), existsSync(other)]).toEqual([false, true]);
});

test("[REL-03 R29] what is no record removes nothing", async () => {
  const { directory, root, folder, made } = ground();
  await using _gone = directory;
  mkdirSync(folder);
  const parts = { pid: 1, processStart: "", root, made };
  const texts = [
    "",
    "null",
    "[]",
    JSON.stringify({ ...parts, made: [1] }),
    JSON.stringify({ ...parts, pid: "1" }),
    JSON.stringify({ ...parts, absent: "/" }),
  ];
  for (const [at, text] of texts.entries()) writeFileSync(join(folder, `${at}.json`), text);
  writeFileSync(join(folder, "base.json"), JSON.stringify({ ...parts, made: [], base: root }));
  await removeLeftovers(worldOf(2, [2]), folder);
  expect(made.every((path) => existsSync(path))).toBe(true);
});

test("[REL-03] without a place for its record, a session still removes what it made", async () => {
  const { directory, root, base, made } = ground();
  await using _gone = directory;
  writeFileSync(join(directory.path, "file"), "no folder");
  const record = sandboxRecord(worldOf(1, [1]), join(directory.path, "file", "sandboxes"), root);
  await record.add({ base, made, absent: [] });
  await record.end();
  expect(readdirSync(root)).toEqual([]);
});
