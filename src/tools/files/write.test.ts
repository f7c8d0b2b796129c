import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openToolRig } from "../../../test/support/tool-rig.ts";
import { editTool } from "./edit.ts";
import { readTool } from "./read.ts";
import { writeTool } from "./write.ts";

test("[TOOL-01] a new file is created with its folders", async () => {
  await using rig = openToolRig();
  expect(await rig.text(writeTool, { file_path: "a/b/c.txt", content: "one\ntwo" })).toBe(
    "Created a/b/c.txt (2 lines).",
  );
  expect(readFileSync(join(rig.root, "a/b/c.txt"), "utf8")).toBe("one\ntwo");
  expect(readdirSync(join(rig.root, "a/b"))).toEqual(["c.txt"]);
});

test("[TOOL-01] a file that was not read is not overwritten, one that was read is", async () => {
  await using rig = openToolRig();
  const path = join(rig.root, "a.sh");
  writeFileSync(path, "old\n");
  chmodSync(path, 0o755);
  const input = { file_path: "a.sh", content: "new\n" };
  expect(await rig.text(writeTool, input)).toBe("error: a.sh exists and was not read yet: Read it first");
  expect(readFileSync(path, "utf8")).toBe("old\n");
  await rig.run(readTool, { file_path: "a.sh", limit: 1 });
  expect(await rig.text(writeTool, input)).toBe("Replaced a.sh (1 line).");
  expect(readFileSync(path, "utf8")).toBe("new\n");
  expect(statSync(path).mode & 0o777).toBe(0o755);
  expect(await rig.text(writeTool, { ...input, content: "" })).toBe("Replaced a.sh (0 lines).");
});

test("[TOOL-01] a file that changed since it was read is not overwritten, even where size and time stand", async () => {
  await using rig = openToolRig();
  const path = join(rig.root, "a.txt");
  writeFileSync(path, "aaaa");
  utimesSync(path, 1_000, 1_000);
  await rig.run(readTool, { file_path: "a.txt" });
  writeFileSync(path, "bbbb");
  utimesSync(path, 1_000, 1_000);
  const stale = "error: a.txt changed since it was read: Read it again";
  expect(await rig.text(writeTool, { file_path: "a.txt", content: "c" })).toBe(stale);
  expect(await rig.text(editTool, { file_path: "a.txt", old_string: "bbbb", new_string: "c" })).toBe(stale);
  expect(readFileSync(path, "utf8")).toBe("bbbb");
  await rig.run(readTool, { file_path: "a.txt" });
  expect(await rig.text(writeTool, { file_path: "a.txt", content: "c" })).toBe("Replaced a.txt (1 line).");
});

test("[TOOL-01] a file that was only touched since it was read is the same file", async () => {
  await using rig = openToolRig();
  const path = join(rig.root, "a.txt");
  writeFileSync(path, "same");
  await rig.run(readTool, { file_path: "a.txt" });
  utimesSync(path, 5_000, 5_000);
  expect(await rig.text(writeTool, { file_path: "a.txt", content: "new" })).toBe("Replaced a.txt (1 line).");
});

test("[TOOL-01] a file above 10 MB is distinguished from the one that was read by its size and time", async () => {
  await using rig = openToolRig();
  const path = join(rig.root, "big.txt");
  writeFileSync(path, "line\n".repeat(2_500_000));
  await rig.run(readTool, { file_path: "big.txt", limit: 1 });
  expect(rig.workspace.seen.get(path)?.sha256).toBe("");
  utimesSync(path, 5_000, 5_000);
  const input = { file_path: "big.txt", content: "small" };
  expect(await rig.text(writeTool, input)).toBe("error: big.txt changed since it was read: Read it again");
  await rig.run(readTool, { file_path: "big.txt", limit: 1 });
  expect(await rig.text(writeTool, input)).toBe("Replaced big.txt (1 line).");
});

test("[TOOL-01] what a file became by Write or Edit is known, so it can be changed again without reading", async () => {
  await using rig = openToolRig();
  await rig.run(writeTool, { file_path: "a.txt", content: "one" });
  await rig.run(editTool, { file_path: "a.txt", old_string: "one", new_string: "two" });
  expect(await rig.text(writeTool, { file_path: "a.txt", content: "three" })).toBe(
    "Replaced a.txt (1 line).",
  );
});

test("[TOOL-01] a full disk is reported and loses nothing", async () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  await using rig = openToolRig({ writeResolved: () => Promise.reject(full) });
  const path = join(rig.root, "a.txt");
  writeFileSync(path, "precious");
  await rig.run(readTool, { file_path: "a.txt" });
  const told = "error: a.txt: the disk is full";
  expect(await rig.text(writeTool, { file_path: "a.txt", content: "x" })).toBe(told);
  expect(await rig.text(editTool, { file_path: "a.txt", old_string: "precious", new_string: "x" })).toBe(
    told,
  );
  expect(readFileSync(path, "utf8")).toBe("precious");
  expect(await rig.text(editTool, { file_path: "a.txt", old_string: "gone", new_string: "x" })).toContain(
    "not found",
  );
});

test("[TOOL-01] folders, devices and read-only files are not written", async () => {
  await using rig = openToolRig();
  mkdirSync(join(rig.root, "folder"));
  writeFileSync(join(rig.root, "fixed"), "x");
  chmodSync(join(rig.root, "fixed"), 0o444);
  await rig.run(readTool, { file_path: "fixed" });
  const content = "y";
  expect(await rig.text(writeTool, { file_path: "folder", content })).toBe(
    "error: folder is a directory: use Ls",
  );
  expect(await rig.text(writeTool, { file_path: "/dev/null", content })).toBe(
    "error: /dev/null is a device, pipe or socket, not a file",
  );
  expect(await rig.text(writeTool, { file_path: "fixed", content })).toBe(
    "error: fixed is read-only (mode 444)",
  );
  expect(await rig.text(writeTool, { file_path: "half", content: "\ud83d" })).toBe(
    "error: half: the content holds half a character (a lone surrogate)",
  );
  expect(existsSync(join(rig.root, "half"))).toBe(false);
});

test("[TOOL-01] a marker that stands for a secret is never written over the secret", async () => {
  await using rig = openToolRig();
  const path = join(rig.root, ".env");
  writeFileSync(path, "KEY=hunter2\nDOC=«redacted:token»\n");
  await rig.run(readTool, { file_path: ".env" });
  const text = (marker: string) => `KEY=${marker}\nDOC=«redacted:token»\n`;
  const refusal = (marker: string) =>
    `error: .env: the new content holds ${marker}, which stands for a secret that is not shown. Leave that part of the file as it is`;
  for (const marker of ["«redacted:api-key»", "«redacted:token»"]) {
    expect(await rig.text(writeTool, { file_path: ".env", content: text(marker) })).toBe(refusal(marker));
    const change = { file_path: ".env", old_string: "hunter2", new_string: marker };
    expect(await rig.text(editTool, change)).toBe(refusal(marker));
  }
  expect(readFileSync(path, "utf8")).toBe("KEY=hunter2\nDOC=«redacted:token»\n");
  expect(await rig.text(writeTool, { file_path: ".env", content: text("new") })).toBe(
    "Replaced .env (2 lines).",
  );
});

test("[TOOL-09 PERM-10] a write outside the workspace asks for the highest level", async () => {
  await using rig = openToolRig();
  const levels = [];
  for (const file_path of ["in.txt", join(rig.outside, "out.txt")]) {
    levels.push((await writeTool.plan({ file_path, content: "" }, rig.context)).level);
  }
  expect(levels).toEqual([undefined, "DangerFullAccess"]);
  const reading = await readTool.plan({ file_path: join(rig.outside, "out.txt") }, rig.context);
  expect([reading.level, reading.target]).toEqual([
    undefined,
    { kind: "paths", paths: [{ path: join(rig.outside, "out.txt"), access: "read" }] },
  ]);
});
