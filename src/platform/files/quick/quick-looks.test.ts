import { expect, test } from "bun:test";
import { mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import { asError } from "../../../base/errors.ts";
import { decode } from "../../../base/text/text.ts";
import { codeOf } from "../../../base/world.ts";
import { hostFiles } from "../files.ts";
import { quickLooks } from "./quick-looks.ts";

const LOOKS = ["stat", "lstat", "realpath", "readlink"] as const;
const BYTES_MAX = 100_000;
type Method = (typeof LOOKS)[number];

/** Quick looks with these mounts, and a list of those that went through another thread. */
function watched(folders: readonly string[], mounts: string | undefined) {
  const slow: string[] = [];
  const other =
    <L extends Method>(look: L) =>
    (path: string) => {
      slow.push(look);
      return hostFiles[look](path) as ReturnType<(typeof hostFiles)[L]>;
    };
  const others = {
    stat: other("stat"),
    lstat: other("lstat"),
    realpath: other("realpath"),
    readlink: other("readlink"),
    async read(path: string, bytesMax: number) {
      slow.push("read");
      return await hostFiles.read(path, bytesMax);
    },
  };
  let nowMs = 0;
  const clock = { monotonic: () => (nowMs += 1_000) }; // nothing is seen from before
  const quick = quickLooks({ folders, mounts, others, clock });
  /** Looks in each way, and returns those that were not quick. */
  async function notQuick(path: string): Promise<readonly string[]> {
    slow.length = 0;
    for (const look of LOOKS) {
      try {
        await quick[look](path);
      } catch (thrown) {
        expect(codeOf(thrown)).toBeDefined();
      }
    }
    return [...slow];
  }
  /** Reads a file; says if another thread did it. */
  async function readHow(path: string): Promise<readonly string[]> {
    slow.length = 0;
    try {
      return [decode(await quick.read(path, BYTES_MAX)), ...slow];
    } catch (thrown) {
      return [codeOf(thrown) ?? asError(thrown).name, ...slow];
    }
  }
  return Object.assign(notQuick, { readHow });
}

const mount = (point: string, kind: string) =>
  `36 35 98:0 / ${point} rw,noatime master:1 - ${kind} /dev/root rw,errors=continue\n`;
const ROOT_MOUNT = mount("/", "ext4");

test("[PERF-02 SBX-01] no look at once passes a mount of the network, of another program, or of first use", async () => {
  await using folder = temporaryDirectory();
  const at = (name: string) => join(folder.path, name);
  for (const name of ["net", "fuse", "auto", "disk", "a b"]) mkdirSync(at(name));
  const mounts = [
    ROOT_MOUNT,
    mount(at("net"), "nfs4"),
    mount(at("fuse"), "fuse.sshfs"),
    mount(at("auto"), "autofs"),
    mount(at("disk"), "xfs"),
    mount(at("net/disk"), "tmpfs"),
    mount(at("a\\040b"), "cifs"),
  ].join("");
  const notQuick = watched([folder.path], mounts);
  for (const name of ["net", "net/x", "net/disk/x", "fuse/x/y", "auto", "auto/x", "a b/x"])
    expect([name, await notQuick(at(name))]).toEqual([name, [...LOOKS]]);
  for (const name of ["disk", "disk/x", "network", "missing/x"])
    expect([name, await notQuick(at(name))]).toEqual([name, []]);
  expect(await notQuick("/etc/passwd")).toEqual([...LOOKS]); // not below the folder
  expect(await watched([folder.path], mount("/", "nfs"))(at("disk"))).toEqual([...LOOKS]);
  expect(await watched([folder.path], undefined)(at("disk"))).toEqual([...LOOKS]);
});

test("[PERF-02 SBX-01] no look at once follows a link, in the path or at its end", async () => {
  await using folder = temporaryDirectory();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at("folder"));
  writeFileSync(at("folder/file"), "text");
  symlinkSync("folder", at("link"));
  symlinkSync("nowhere", at("broken"));
  const notQuick = watched([folder.path], ROOT_MOUNT);
  for (const name of ["link", "broken"])
    expect([name, await notQuick(at(name))]).toEqual([name, ["stat", "realpath"]]);
  for (const path of [at("link/file"), at("broken/x"), `${folder.path}/link/../folder`, `${at("folder")}/`])
    expect([path, await notQuick(path)]).toEqual([path, [...LOOKS]]);
  for (const name of ["folder", "folder/file", "folder/file/below", "missing"])
    expect([name, await notQuick(at(name))]).toEqual([name, []]);
  expect(await watched([at("link")], ROOT_MOUNT)(at("link/file"))).toEqual([...LOOKS]);
});

test("[SBX-01] a folder that a link replaces is resolved to the target of that link at once", async () => {
  await using folder = temporaryDirectory();
  const at = (name: string) => join(folder.path, name);
  for (const name of ["folder", "elsewhere"]) {
    mkdirSync(at(name));
    writeFileSync(at(`${name}/file`), "");
  }
  const clock = { monotonic: () => 0 }; // all is seen within an instant
  const quick = quickLooks({ folders: [folder.path], mounts: ROOT_MOUNT, others: hostFiles, clock });
  expect(await quick.realpath(at("folder/file"))).toBe(at("folder/file"));
  renameSync(at("folder"), at("former"));
  symlinkSync("elsewhere", at("folder"));
  expect(await quick.realpath(at("folder/file"))).toBe(at("elsewhere/file"));
});

test("[PERF-01 SBX-01] a small file of a local disk is read at once, and everything else by another thread", async () => {
  await using folder = temporaryDirectory();
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("file"), "text");
  writeFileSync(at("empty"), "");
  writeFileSync(at("large"), "");
  truncateSync(at("large"), BYTES_MAX + 1);
  symlinkSync("file", at("link"));
  mkdirSync(at("folder"));
  mkdirSync(at("net"));
  writeFileSync(at("net/file"), "text");
  const { readHow } = watched([folder.path], `${ROOT_MOUNT}${mount(at("net"), "nfs4")}`);
  expect(await readHow(at("file"))).toEqual(["text"]);
  expect(await readHow(at("empty"))).toEqual(["", "read"]);
  expect(await readHow(at("link"))).toEqual(["text", "read"]);
  expect(await readHow(at("net/file"))).toEqual(["text", "read"]);
  expect(await readHow(at("large"))).toEqual(["FileTooLarge", "read"]);
  expect(await readHow(at("folder"))).toEqual(["EISDIR", "read"]);
  expect(await readHow(at("missing"))).toEqual(["ENOENT", "read"]);
});
