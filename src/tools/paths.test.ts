import { expect, test } from "bun:test";
import { chmodSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openToolRig } from "../../test/support/tool-rig.ts";
import { readTool } from "./files/read.ts";
import { writeTool } from "./files/write.ts";
import { pathPlan, resolvePath } from "./paths.ts";
import { lsTool } from "./search/ls.ts";

test("[PERM-10 S21] a path is inside by its parts, after every link is followed", async () => {
  await using rig = openToolRig();
  mkdirSync(`${rig.root}-secret`);
  writeFileSync(`${rig.root}-secret/key`, "k");
  mkdirSync(join(rig.root, "..dots"));
  const inside: Record<string, boolean> = {};
  for (const path of [
    ".",
    "a/b/c",
    "..dots/x",
    `${rig.root}/`,
    `${rig.root}//x/.`,
    `${rig.root}-secret/key`,
    "../workspace-secret/key",
    "x/../../workspace-secret",
    "..",
    "/",
  ]) {
    inside[path.replace(rig.root, "ROOT")] = (await resolvePath(path, rig.context)).inside;
  }
  expect(inside).toEqual({
    ".": true,
    "a/b/c": true,
    "..dots/x": true,
    "ROOT/": true,
    "ROOT//x/.": true,
    "ROOT-secret/key": false,
    "../workspace-secret/key": false,
    "x/../../workspace-secret": false,
    "..": false,
    "/": false,
  });
});

test("[PERM-10 S22] a link is planned as its target, and the gate gets both names", async () => {
  await using rig = openToolRig();
  writeFileSync(join(rig.outside, "secret"), "s");
  symlinkSync(join(rig.outside, "secret"), join(rig.root, "leaf"));
  symlinkSync(rig.outside, join(rig.root, "parent"));
  const uses: unknown[] = [];
  for (const path of ["leaf", "parent/secret", "parent/new/file"]) {
    const plan = pathPlan("Write", await resolvePath(path, rig.context), ["write"]);
    uses.push([plan.level, plan.target]);
  }
  const use = (path: string, spelled: string) => [
    "DangerFullAccess",
    {
      kind: "paths",
      paths: [{ path: join(rig.outside, path), access: "write", spelled: join(rig.root, spelled) }],
    },
  ];
  expect(uses).toEqual([
    use("secret", "leaf"),
    use("secret", "parent/secret"),
    use("new/file", "parent/new/file"),
  ]);
});

test("[PERM-10 S22] /proc/self/root leads outside, and a hard link is broken by a write, never followed", async () => {
  await using rig = openToolRig();
  if (process.platform === "linux") {
    const through = await resolvePath(`/proc/self/root${rig.outside}/x`, rig.context);
    expect([through.path, through.inside]).toEqual([join(rig.outside, "x"), false]);
  }
  writeFileSync(join(rig.outside, "shared"), "theirs");
  linkSync(join(rig.outside, "shared"), join(rig.root, "hard"));
  await rig.run(readTool, { file_path: "hard" });
  await rig.run(writeTool, { file_path: "hard", content: "ours" });
  expect(readFileSync(join(rig.outside, "shared"), "utf8")).toBe("theirs");
  expect(readFileSync(join(rig.root, "hard"), "utf8")).toBe("ours");
});

test("[PERM-10 S23] a path that cannot be resolved is refused, never taken as it is written", async () => {
  await using rig = openToolRig();
  const link = (target: string, name: string) => symlinkSync(target, join(rig.root, name));
  link("nowhere", "dangling");
  link("loop-b", "loop-a");
  link("loop-a", "loop-b");
  writeFileSync(join(rig.root, "end"), "x");
  for (let i = 0; i < 60; i++) link(i === 0 ? "end" : `chain-${i - 1}`, `chain-${i}`);
  writeFileSync(join(rig.root, "file"), "x");
  const refused: Record<string, string> = {};
  const longName = "n".repeat(300);
  for (const file_path of [
    "",
    "a\0b",
    "\ud800",
    "~",
    "~/x",
    "dangling",
    "dangling/x",
    "loop-a",
    "chain-59",
    "file/x",
    longName,
    "d/".repeat(3_000),
  ]) {
    const key = file_path === longName ? "long" : file_path.length > 300 ? "deep" : file_path;
    refused[key] = await rig.text(readTool, { file_path });
  }
  expect(refused).toEqual({
    "": 'error: "": the path is empty',
    "a\0b": 'error: "a\\u0000b": a path cannot hold a NUL character',
    "\ud800": 'error: "�": the path holds half a character (a lone surrogate)',
    "~": 'error: "~": ~ is not expanded here: give an absolute path, or ./~',
    "~/x": 'error: "~/x": ~ is not expanded here: give an absolute path, or ./~',
    dangling: `error: ${rig.root}/dangling is a symbolic link to something that does not exist`,
    "dangling/x": `error: ${rig.root}/dangling is a symbolic link to something that does not exist`,
    "loop-a": "error: loop-a: too many symbolic links, or links in a circle",
    "chain-59": "error: chain-59: too many symbolic links, or links in a circle",
    "file/x": "error: file/x: a part of the path is not a directory",
    long: `error: ${longName}: the name is too long`,
    deep: `error: ${"d/".repeat(3_000)}: the name is too long`,
  });
});

test("[PERM-10 S23] a folder that may not be entered is a refusal", async () => {
  const denied = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  await using rig = openToolRig({ realpath: () => Promise.reject(denied) });
  mkdirSync(join(rig.root, "closed"));
  chmodSync(join(rig.root, "closed"), 0);
  expect(await rig.text(readTool, { file_path: "closed/x" })).toBe(
    "error: closed/x: permission denied by the system",
  );
});

test("[TOOL-03] Ls shows one folder in the order of names, each with its kind and size", async () => {
  await using rig = openToolRig();
  mkdirSync(join(rig.root, "node_modules/deep"), { recursive: true });
  mkdirSync(join(rig.root, "none"));
  writeFileSync(join(rig.root, "b.txt"), "x".repeat(1_536));
  writeFileSync(join(rig.root, "a.txt"), "12");
  writeFileSync(join(rig.root, ".hidden"), "");
  writeFileSync(join(rig.root, "odd\nname"), "1");
  symlinkSync("a.txt", join(rig.root, "link"));
  expect(await rig.text(lsTool, {})).toBe(
    [
      ".hidden (0 bytes)",
      "a.txt (2 bytes)",
      "b.txt (1.5 KB)",
      "link (link)",
      "node_modules/",
      "none/",
      "odd\\nname (1 byte)",
    ].join("\n"),
  );
  expect(await rig.text(lsTool, { path: "none" })).toBe("(empty)");
  expect(await rig.text(lsTool, { path: "a.txt" })).toBe("error: a.txt is not a directory: use Read");
  expect(await rig.text(lsTool, { path: "gone" })).toBe("error: There is no directory gone");
});

test("[TOOL-03] Ls of a folder with thousands of entries shows the first and counts the rest", async () => {
  await using rig = openToolRig();
  for (let i = 0; i < 600; i++) writeFileSync(join(rig.root, `f${String(i).padStart(4, "0")}`), "");
  const lines = (await rig.text(lsTool, {})).split("\n");
  expect([lines.length, lines[0], lines.at(-2), lines.at(-1)]).toEqual([
    501,
    "f0000 (0 bytes)",
    "f0499 (0 bytes)",
    "[100 more entries]",
  ]);
});
