import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { removePlantedGitFiles } from "../../app/session/workspace/run-workspace.ts";
import type { World } from "../../base/world.ts";
import type { BeforeRun } from "./interrupted-runs.ts";
import { disarmInterruptedRuns, recordRun } from "./interrupted-runs.ts";

const NOTHING: BeforeRun = { closed: [], watches: [], links: [] };

test("[SBX-01 REL-03] a session that starts while another writes a record leaves that record alone", async () => {
  await using directory = temporaryDirectory();
  const { world, folder, lines } = rig(directory.path);
  let between: readonly string[] = [];
  const files: World["files"] = {
    ...world.files,
    async createNew(path, content, mode) {
      await world.files.createNew(path, content.slice(0, 10), mode);
      await disarmInterruptedRuns(world, folder);
      between = readdirSync(folder);
      return true;
    },
  };
  const end = await recordRun({ ...world, files }, folder, NOTHING);
  expect(between).toHaveLength(1);
  await end();
  expect([readdirSync(folder), lines]).toEqual([[], []]);
});

test("[SBX-01 REL-03] a killed session's record that was cut short goes without a word, and one that another start removes meanwhile too", async () => {
  await using directory = temporaryDirectory();
  const { world, folder, lines } = rig(directory.path);
  const dead = { ...world, machine: { ...world.machine, isAlive: () => false } };
  for (const content of ["", '{"closed"', "null", "{}", '{"closed":[],"watches":{},"links":[]}']) {
    const files: World["files"] = {
      ...world.files,
      createNew: (path, _, mode) => world.files.createNew(path, content, mode),
    };
    await recordRun({ ...world, files }, folder, NOTHING);
    expect(await disarmInterruptedRuns(dead, folder)).toEqual([]);
    expect([content, readdirSync(folder), lines]).toEqual([content, [], []]);
  }
  await recordRun(world, folder, NOTHING);
  const files: World["files"] = {
    ...world.files,
    async read(path, bytesMax) {
      await world.files.remove(path);
      return await world.files.read(path, bytesMax);
    },
  };
  expect(await disarmInterruptedRuns({ ...dead, files }, folder)).toEqual([]);
  expect(lines).toEqual([]);
});

test("[SBX-01 REL-04] a record too large to be read again is not written, and the log says so", async () => {
  await using directory = temporaryDirectory();
  const { world, folder, lines } = rig(directory.path);
  const closed = Array.from({ length: 17 }, () => "/x".padEnd(1_048_576, "x"));
  await recordRun(world, folder, { ...NOTHING, closed });
  expect(readdirSync(folder)).toEqual([]);
  expect(lines).toEqual(["warn: what a command plants is not found if cinch is killed"]);
});

test("[SBX-01 REL-04] where the folder of records cannot be listed, that is a notice and no end of the start", async () => {
  await using directory = temporaryDirectory();
  const paths = { config: directory.path, data: directory.path, state: directory.path };
  const { world } = rig(directory.path);
  expect(await removePlantedGitFiles(world, paths)).toEqual([]);
  const folder = join(directory.path, "sandboxes", "running");
  mkdirSync(join(folder, ".."), { recursive: true });
  writeFileSync(folder, "no folder");
  const [notice, ...more] = await removePlantedGitFiles(world, paths);
  expect(more).toEqual([]);
  expect(notice).toStartWith(
    `${folder} could not be read, so cinch did not look for what a killed session's command left for git: ENOTDIR`,
  );
});

function rig(path: string) {
  const folder = join(path, "running");
  mkdirSync(folder);
  const lines: string[] = [];
  const log: World["log"] = {
    for: () => log,
    write: (level, message) => void lines.push(`${level}: ${message}`),
  };
  return { world: testWorld({ log }), folder, lines };
}
