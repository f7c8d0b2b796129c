import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { hostFiles } from "./files.ts";

function codeOrName(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : String(thrown);
}

test("[PERM-10 S29] a path with a link in any part is not opened, written or listed as a resolved one", async () => {
  await using folder = temporaryDirectory();
  mkdirSync(join(folder.path, "real"));
  writeFileSync(join(folder.path, "real/f"), "content");
  symlinkSync("real", join(folder.path, "link"));
  symlinkSync("f", join(folder.path, "real/leaf"));
  const outcomes: readonly unknown[] = await Promise.all([
    hostFiles.openResolved(join(folder.path, "link/f")).catch(codeOrName),
    hostFiles.openResolved(join(folder.path, "real/leaf")).catch(codeOrName),
    hostFiles.openResolved(join(folder.path, "real")).catch(codeOrName),
    hostFiles.writeResolved(join(folder.path, "link/f"), "x").catch(codeOrName),
    hostFiles.writeResolved(join(folder.path, "link/new/f"), "x").catch(codeOrName),
    hostFiles.writeResolved(join(folder.path, "real/leaf"), "x").catch(codeOrName),
    hostFiles.listResolved(join(folder.path, "link"), 0).catch(codeOrName),
  ]);
  expect(outcomes).toEqual(Array.from({ length: 7 }, () => "PathMoved"));
  expect(readdirSync(join(folder.path, "real")).sort()).toEqual(["f", "leaf"]);
  expect(readFileSync(join(folder.path, "real/f"), "utf8")).toBe("content");
});

test("[TOOL-01] a rewritten file keeps its mode, a new one gets its folders, and the facts describe the new file", async () => {
  await using folder = temporaryDirectory();
  const path = join(folder.path, "run.sh");
  writeFileSync(path, "old");
  chmodSync(path, 0o750);
  const info = await hostFiles.writeResolved(path, "newer");
  expect(info).toEqual((await hostFiles.lstat(path)) ?? info);
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["newer", 0o750]);
  const deep = join(folder.path, "a/b/c");
  await hostFiles.writeResolved(deep, "x");
  expect(readFileSync(deep, "utf8")).toBe("x");
  expect(await hostFiles.listResolved(folder.path, 9)).toEqual([
    { name: "a", kind: "directory" },
    { name: "run.sh", kind: "file", size: 5 },
  ]);
});

test("[TOOL-01] an open file is read in ranges, to its end and no further", async () => {
  await using folder = temporaryDirectory();
  const path = join(folder.path, "f");
  writeFileSync(path, "0123456789");
  await using file = await hostFiles.openResolved(path);
  const ranges = [
    await file.read(0, 4),
    await file.read(8, 9),
    await file.read(10, 1),
    await file.read(99, 1),
  ];
  expect([file.info.size, ...ranges.map((bytes) => new TextDecoder().decode(bytes))]).toEqual([
    10,
    "0123",
    "89",
    "",
    "",
  ]);
});

test("[TOOL-01 R15] when the disk takes no more, the old content stands and nothing is left beside it", async () => {
  await using folder = temporaryDirectory();
  const path = join(folder.path, "f");
  writeFileSync(path, "precious");
  const program = `
    const { hostFiles } = await import(${JSON.stringify(join(import.meta.dir, "files.ts"))});
    await hostFiles.writeResolved(${JSON.stringify(path)}, "x".repeat(1_000_000)).then(
      () => console.log("written"), (thrown) => console.log(thrown.code));`;
  // A limit on file sizes stands in for a full disk: the write fails in the middle.
  const limited = `trap '' XFSZ; ulimit -f 64; exec "$0" "$@"`;
  const bun = [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null", "-e", program];
  const told = execFileSync("sh", ["-c", limited, ...bun], { encoding: "utf8" });
  expect(told.trim()).toBe("EFBIG");
  expect([readdirSync(folder.path), readFileSync(path, "utf8")]).toEqual([["f"], "precious"]);
});
