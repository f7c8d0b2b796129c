import { expect, test } from "bun:test";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/world.ts";
import type { Files } from "../../base/world.ts";
import { codeOf, FileTooLarge } from "../../base/world.ts";
import { hostFiles } from "./files.ts";

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => "no failure",
    (thrown: unknown) => codeOf(thrown) ?? thrown,
  );
}

test("[TOOL-01] an atomic write leaves the new content, the old mode and no second file", async () => {
  await using folder = temporaryDirectory();
  const file = join(folder.path, "script.sh");
  await hostFiles.writeAtomic(file, "one", 0o755);
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["one", 0o755]);
  await hostFiles.writeAtomic(file, new TextEncoder().encode("two"));
  expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(["two", 0o755]);
  expect(readdirSync(folder.path)).toEqual(["script.sh"]);
});

test("[TOOL-01] a write that fails leaves the file as it was and nothing beside it", async () => {
  await using folder = temporaryDirectory();
  const target = join(folder.path, "taken");
  mkdirSync(target);
  writeFileSync(join(target, "inside"), "kept");
  expect(await failureOf(hostFiles.writeAtomic(target, "x"))).toMatch(/^(EISDIR|ENOTEMPTY|EEXIST)$/);
  expect(readdirSync(folder.path)).toEqual(["taken"]);
  expect(await failureOf(hostFiles.writeAtomic(join(folder.path, "no", "file"), "x"))).toBe("ENOENT");
});

test("a reader sees the whole old or the whole new content while a file is replaced", async () => {
  await using folder = temporaryDirectory();
  const file = join(folder.path, "file");
  const contents = ["a", "b"].map((letter) => letter.repeat(200_000));
  await hostFiles.writeAtomic(file, contents[0] ?? "");
  let writing = true;
  const writes = (async () => {
    for (let round = 0; round < 20; round++) await hostFiles.writeAtomic(file, contents[round % 2] ?? "");
    writing = false;
  })();
  while (writing) expect(contents).toContain(new TextDecoder().decode(await hostFiles.read(file, 1_000_000)));
  await writes;
});

test("a file above the limit is refused, also one that holds more than its size says", async () => {
  await using folder = temporaryDirectory();
  const file = join(folder.path, "file");
  writeFileSync(file, "12345");
  expect(new TextDecoder().decode(await hostFiles.read(file, 5))).toBe("12345");
  expect(await failureOf(hostFiles.read(file, 4))).toBeInstanceOf(FileTooLarge);
  if (process.platform !== "linux") return;
  expect((await hostFiles.read("/proc/self/status", 100_000)).length).toBeGreaterThan(100);
  expect(await failureOf(hostFiles.read("/proc/self/status", 100))).toBeInstanceOf(FileTooLarge);
});

test("a range is read as far as there is something, and never through a symlink", async () => {
  await using folder = temporaryDirectory();
  const file = join(folder.path, "file");
  writeFileSync(file, "0123456789");
  const range = async (offset: number, length: number) =>
    new TextDecoder().decode(await hostFiles.readRange(file, offset, length));
  expect([await range(0, 3), await range(8, 5), await range(10, 5)]).toEqual(["012", "89", ""]);
  symlinkSync(file, join(folder.path, "link"));
  expect(await failureOf(hostFiles.readRange(join(folder.path, "link"), 0, 1))).toBe("ELOOP");
});

test("the kind of a path can be determined: kinds, links, hard links, and nothing", async () => {
  await using folder = temporaryDirectory();
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("file"), "abc", { mode: 0o640 });
  linkSync(at("file"), at("hard"));
  symlinkSync("file", at("link"));
  symlinkSync("nowhere", at("broken"));
  mkdirSync(at("folder"));
  expect(await hostFiles.stat(at("link"))).toMatchObject({ kind: "file", size: 3, mode: 0o640 });
  expect((await hostFiles.lstat(at("link")))?.kind).toBe("symlink");
  expect(await hostFiles.stat(at("broken"))).toBeUndefined();
  expect(await hostFiles.stat(at("file/below"))).toBeUndefined();
  expect((await hostFiles.stat(at("hard")))?.identity).toBe(
    (await hostFiles.stat(at("file")))?.identity ?? "none",
  );
  const entries = await hostFiles.list(folder.path);
  expect([...entries].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: "broken", kind: "symlink" },
    { name: "file", kind: "file" },
    { name: "folder", kind: "directory" },
    { name: "hard", kind: "file" },
    { name: "link", kind: "symlink" },
  ]);
});

test("[SES-04] a temporary directory belongs to this user alone, and removing what is gone is no failure", async () => {
  const path = await hostFiles.makeTemporary("cinch-test-");
  expect(statSync(path).mode & 0o777).toBe(0o700);
  await hostFiles.remove(path);
  await hostFiles.remove(path);
  expect(await hostFiles.stat(path)).toBeUndefined();
});

test("[PERF-02 SBX-01] quick looks find what the others find, also where nothing can be found", async () => {
  await using folder = temporaryDirectory();
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("file"), "text");
  mkdirSync(at("folder"));
  symlinkSync("file", at("link"));
  symlinkSync("nowhere", at("broken"));
  symlinkSync("circle", at("circle"));
  const names = ["file", "folder", "link", "broken", "circle", "missing", "file/below", "link/../folder"];
  const paths = [...names.map(at), "/proc/self/status", "/etc/passwd"];
  const quick = await hostFiles.quickBelow?.([folder.path, "/etc", "/proc", at("missing")]);
  expect(quick).toBeDefined();
  for (const path of paths) {
    for (const look of ["stat", "lstat", "realpath", "readlink"] as const) {
      const seen = async (files: Pick<Files, typeof look>) => {
        try {
          return await files[look](path);
        } catch (thrown) {
          return codeOf(thrown);
        }
      };
      expect([path, look, await seen(quick ?? hostFiles)]).toEqual([path, look, await seen(hostFiles)]);
    }
  }
});
