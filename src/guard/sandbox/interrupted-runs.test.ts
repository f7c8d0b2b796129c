import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { removePlantedGitFiles } from "../../app/session/workspace/run-workspace.ts";
import type { World } from "../../base/world.ts";
import { ToolFailure } from "../../tools/tool.ts";
import type { BeforeRun } from "./interrupted-runs.ts";
import { disarmInterruptedRuns, RECORD_MS_MAX, recordRun } from "./interrupted-runs.ts";

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
  const record = recordRun({ ...world, files }, folder, NOTHING);
  await record.written;
  expect(between).toHaveLength(1);
  await record.end();
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
    await recordRun({ ...world, files }, folder, NOTHING).written;
    expect(await disarmInterruptedRuns(dead, folder)).toEqual([]);
    expect([content, readdirSync(folder), lines]).toEqual([content, [], []]);
  }
  await recordRun(world, folder, NOTHING).written;
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
  await recordRun(world, folder, { ...NOTHING, closed }).written;
  expect(readdirSync(folder)).toEqual([]);
  expect(lines).toEqual(["warn: what a command plants is not found if cinch is killed"]);
});

test("[SBX-01 REL-04] a record that the disk does not take in time is an error with its place, and is removed once it is there", async () => {
  await using directory = temporaryDirectory();
  const { world, folder, lines } = rig(directory.path);
  const disk = Promise.withResolvers<void>();
  const files: World["files"] = {
    ...world.files,
    async createNew(path, content, mode) {
      await disk.promise;
      return await world.files.createNew(path, content, mode);
    },
  };
  const removed = Promise.withResolvers<void>();
  const remove: World["files"]["remove"] = async (path) => {
    await world.files.remove(path);
    removed.resolve();
  };
  const record = recordRun({ ...world, files: { ...files, remove } }, folder, NOTHING);
  await world.clock.advance(RECORD_MS_MAX);
  const why = await record.written.then(
    () => "written",
    (thrown: unknown) => thrown,
  );
  expect(why).toBeInstanceOf(ToolFailure);
  expect(String(why)).toContain(
    `nothing was run: the record of this run could not be written within 10 s, to ${folder}/`,
  );
  await record.end();
  disk.resolve();
  await removed.promise;
  expect([readdirSync(folder), lines]).toEqual([[], []]);
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
