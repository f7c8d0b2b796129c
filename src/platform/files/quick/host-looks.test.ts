import { expect, test } from "bun:test";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { hostFiles } from "../files.ts";
import { hostLooks, LOOKS_MAX } from "./host-looks.ts";

const LOCAL = "36 35 98:0 / / rw,noatime master:1 - ext4 /dev/root rw\n";

/** Looks of a machine with these mounts, which `state` may change. */
function watched(state: { mounts: string | undefined; nowMs: number }) {
  const slow: string[] = [];
  const others = {
    ...hostFiles,
    async lstat(path: string) {
      slow.push(path);
      return await hostFiles.lstat(path);
    },
  };
  const clock = { monotonic: () => state.nowMs };
  return { slow, looks: hostLooks({ others, clock, mounts: () => state.mounts }) };
}

test("[PERF-01] a look at a file of a local disk happens at once, and gives what another thread would see", async () => {
  await using folder = temporaryDirectory();
  const { slow, looks } = watched({ mounts: LOCAL, nowMs: 0 });
  expect((await looks.lstat(folder.path))?.kind).toBe("directory");
  expect(await looks.lstat(join(folder.path, "missing"))).toBeUndefined();
  expect(await looks.lstat("/etc/passwd/below")).toBeUndefined();
  expect(slow).toEqual([]);
});

test("[PERF-01 SBX-01] a file system of the network that is mounted later is met by another thread", async () => {
  await using folder = temporaryDirectory();
  const net = join(folder.path, "net");
  mkdirSync(net);
  const state = { mounts: LOCAL, nowMs: 0 };
  const { slow, looks } = watched(state);
  await looks.lstat(net);
  expect(slow).toEqual([]);
  state.mounts = `${LOCAL}37 36 0:50 / ${net} rw - nfs4 server:/ rw\n`;
  state.nowMs = 1_000;
  await looks.lstat(net);
  await looks.lstat(folder.path);
  expect(slow).toEqual([net]);
});

test("[PERF-01] after many looks in succession one goes through another thread, so that other work gets its turn", async () => {
  const { slow, looks } = watched({ mounts: LOCAL, nowMs: 0 });
  for (let look = 0; look <= 2 * LOOKS_MAX + 1; look++) await looks.lstat("/usr");
  expect(slow).toEqual(["/usr", "/usr"]);
});

test("[PERF-01] without a table of mounts, no look happens at once", async () => {
  const { slow, looks } = watched({ mounts: undefined, nowMs: 0 });
  await looks.lstat("/usr");
  expect(slow).toEqual(["/usr"]);
});

test("[PERM-10 S29] a folder that was just looked at and is swapped for a link is resolved as the link", async () => {
  await using folder = temporaryDirectory();
  const at = (name: string) => join(folder.path, name);
  for (const name of ["inside", "outside", "inside/below", "outside/below"]) mkdirSync(at(name));
  const { looks } = watched({ mounts: LOCAL, nowMs: 0 });
  expect(await looks.realpath(at("inside/below"))).toBe(at("inside/below"));
  expect((await looks.lstat(at("inside/below")))?.kind).toBe("directory");
  renameSync(at("inside"), at("moved"));
  symlinkSync("outside", at("inside"));
  expect(await looks.realpath(at("inside/below"))).toBe(at("outside/below"));
});
