import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { hostWorld } from "../../../platform/host.ts";
import { gitRunner } from "../../permissions/inspection/find-git-repository.ts";
import { systemProgram } from "../system-program.ts";
import { findTrustedProgram, NO_GIT, trustedPath } from "./trusted-program.ts";

const world = hostWorld(SILENT_LOG);
const { files } = world;

function program(path: string, text = "exit 0\n"): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}`);
  chmodSync(path, 0o755);
  return path;
}

test("[S33] a program is trusted if no file, link or folder on its way lies where agents write", async () => {
  await using directory = temporaryDirectory();
  const at = (path: string) => join(directory.path, path);
  const own = program(at("own/git"));
  program(at("agents/bin/git"));
  for (const folder of ["linked", "hop", "ours"]) mkdirSync(at(folder));
  symlinkSync(at("agents/bin/git"), at("linked/git"));
  symlinkSync(own, at("agents/next"));
  symlinkSync(at("agents/next"), at("hop/git"));
  symlinkSync(at("agents/bin"), at("folder"));
  symlinkSync(own, at("ours/git"));
  const writable = [at("agents")];
  const found = (path: string) => findTrustedProgram("git", { path, files, writable });
  for (const folder of ["agents/bin", "linked", "hop", "folder", "nowhere"]) {
    expect([folder, await found(at(folder))]).toEqual([folder, undefined]);
    expect(await found(`${at(folder)}:${at("own")}`)).toBe(own);
  }
  expect(await found(at("ours"))).toBe(at("ours/git"));
  expect(await found(`own:.::${at("ours")}`)).toBe(at("ours/git"));
  const path = `.:${at("agents/bin")}:${at("folder")}:${at("own")}`;
  expect(await findTrustedProgram("git", { path, files, writable, which: "first" })).toBeUndefined();
  expect(await trustedPath({ path, files, writable })).toBe(at("own"));
});

test("[SBX-01 S33] what confines is not taken from a folder that an agent who runs as root writes", async () => {
  await using directory = temporaryDirectory();
  const at = (path: string) => join(directory.path, path);
  for (const folder of ["agents", "own"]) program(at(`${folder}/bwrap`));
  const stat = async (path: string) => {
    const info = await files.stat(path);
    return info === undefined ? undefined : { ...info, owner: 0, mode: 0o755 };
  };
  const owned = { ...files, stat };
  const found = async (usual: string, folders: readonly string[]) => {
    const search = { path: folders.map(at).join(":"), writable: { all: [at("agents")] } };
    return await systemProgram(owned, { usual: [at(usual)], search });
  };
  const own = { kind: "found", path: at("own/bwrap") } as const;
  const missing = {
    kind: "missing",
    problem: expect.stringContaining(`${at("agents/bwrap")} is not used`),
  } as const;
  expect(await found("none/bwrap", ["agents", "own"])).toEqual(own);
  expect(await found("none/bwrap", ["agents"])).toEqual(missing);
  expect(await found("agents/bwrap", ["own"])).toEqual(own);
  expect(await found("agents/bwrap", [])).toEqual(missing);
});

test("[PERM-04 S33] a command is not judged by a git that the agent of another session can write", async () => {
  await using directory = temporaryDirectory();
  const at = (path: string) => join(directory.path, path);
  program(at("other/bin/git"), `: >${at("ran")}\n`);
  mkdirSync(at("root"));
  const place = { root: at("root"), scratch: at("scratch") };
  const env = { PATH: at("other/bin") };
  const alone = gitRunner(world, env, place);
  expect(await alone(place.root, ["rev-parse"])).toMatchObject({ code: 0 });
  expect(existsSync(at("ran"))).toBe(true);
  const beside = gitRunner(world, env, { ...place, writable: [at("other")] });
  expect(await beside(place.root, ["rev-parse"])).toBe(NO_GIT);
});
