import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { requireSandbox } from "../../../../test/support/sandbox-place.ts";
import { openSandboxRig } from "../../../../test/support/sandbox-rig.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import type { Files } from "../../../base/world.ts";
import { cinchDirectories } from "./cinch-directories.ts";
import { writablePaths } from "./link-walk.ts";
import { protectablePaths } from "./sandbox-paths.ts";

/** Files in which a place goes after every look at it and before it is resolved, as where another session ends. */
function goingFiles(place: string): Files {
  const { files } = testWorld();
  return {
    ...files,
    async realpath(path) {
      if (path === place) rmSync(place, { recursive: true, force: true });
      return await files.realpath(path);
    },
  };
}

test("[REL-03 SBX-01] a place that another session removes between two looks counts as one that is not there", async () => {
  await using directory = temporaryDirectory();
  const root = directory.path;
  const place = join(root, ".harness-secrets");
  const again = () => {
    mkdirSync(place, { recursive: true });
    return goingFiles(place);
  };
  expect(
    await writablePaths(
      again(),
      { folders: [root], isTrusted: () => true, listed: [place] },
      () => undefined,
    ),
  ).toEqual([]);
  expect(await protectablePaths(again(), root, [{ path: place, kind: "directory" }])).toEqual([
    { path: place, kind: "directory" },
  ]);
  expect(await cinchDirectories(again(), { config: place, data: place, state: place })).toEqual([
    place,
    place,
    place,
  ]);
});

test("[S22 S29] a folder that becomes a link while it is resolved does not lead elsewhere", async () => {
  await using directory = temporaryDirectory();
  const [place, elsewhere] = ["place", "elsewhere"].map((name) => join(directory.path, name));
  if (place === undefined || elsewhere === undefined) throw new Error("two folders");
  for (const path of [place, elsewhere]) mkdirSync(path);
  const { files } = testWorld();
  const swapped: Files = {
    ...files,
    realpath: async (path) => (path === place ? elsewhere : await files.realpath(path)),
  };
  const given = { folders: [directory.path], isTrusted: () => true, listed: [place] };
  expect(await writablePaths(swapped, given, () => undefined)).toEqual([place]);
});

requireSandbox()(
  "[REL-03 SBX-01] a command runs where the empty places of another session go while it is prepared",
  async () => {
    await using rig = openSandboxRig();
    const places = [".cinch", ".harness-secrets"].map((name) => join(rig.root, name));
    const { spawn } = rig.world;
    for (const place of places) mkdirSync(place);
    await rig.bash("true");
    Object.assign(rig.context.world, {
      spawn: (options: Parameters<typeof spawn>[0]) => {
        for (const place of places) rmSync(place, { recursive: true, force: true });
        return spawn(options);
      },
    });
    expect(await rig.bash("echo x >.cinch/y; echo ran")).toContain("ran");
    expect(existsSync(join(rig.root, ".cinch/y"))).toBe(false);
  },
);
