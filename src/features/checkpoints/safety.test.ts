import { expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { openCheckpointRig, shell, treeOf } from "../../../test/support/checkpoint-rig.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { hostTree } from "../../platform/files/tree.ts";
import { recordingScope } from "./tracking/recording-scope.ts";

test("[SES-15] of a workspace that is the machine or holds homes nothing is kept, and of a home or a shared folder only what calls name", async () => {
  await using directory = temporaryDirectory();
  const home = join(directory.path, "homes", "me");
  mkdirSync(join(home, "work"), { recursive: true });
  mkdirSync(join(directory.path, "shared"));
  chmodSync(join(directory.path, "shared"), 0o1777);
  const scopes = [
    "/",
    "",
    "relative",
    directory.path,
    dirname(home),
    home,
    join(directory.path, "shared"),
    join(home, "work"),
    `${home}-other`,
  ];
  expect(scopes.map((root) => recordingScope(root, home, hostTree))).toEqual([
    "nothing",
    "nothing",
    "nothing",
    "nothing",
    "nothing",
    "named",
    "named",
    "all",
    "all",
  ]);
});

test("[SES-15] without a checkpoint store calls run, a notice says so, and restoring files is refused", async () => {
  await using rig = await openCheckpointRig({ scope: "nothing" });
  const { start } = await rig.turn("printf 1 >a");
  expect(rig.events).toEqual([
    { kind: "CheckpointMade", payload: { turn: 1, files: 0, notRestorable: ["."] } },
  ]);
  await expect(rig.rewind(start)).rejects.toMatchObject({ reason: "CheckpointMissing" });
  expect({ a: readFileSync(join(rig.root, "a"), "utf8"), kept: existsSync(rig.data) }).toEqual({
    a: "1",
    kept: false,
  });
});

test("[SES-15] where only named files are kept, what a command or anybody else changes is never touched", async () => {
  await using rig = await openCheckpointRig({ scope: "named" });
  const { root, checkpoints } = rig;
  shell(root, "printf 1 >named; printf 1 >other");
  const { signal } = new AbortController();
  const turn = { turn: 1, signal, emit: () => undefined };
  const recorded = await checkpoints.before([join(root, "named")], turn);
  shell(root, "printf 2 >named; printf 2 >other; printf n >new");
  await checkpoints.after(recorded, signal);
  await checkpoints.endTurn(1, signal);
  const done = await rig.rewind({ at: 0, startOf: 1 }, ["contested", "foreign"]);
  expect(shell(root, "cat named other new")).toBe("12n");
  const why = "only files that a call names are kept in this folder; what commands changed stays";
  expect(done).toEqual({ restored: ["named"], kept: [], notRestorable: [{ path: ".", why }] });
});

test("[SES-15] what was kept of another folder is not set back into this one", async () => {
  await using directory = temporaryDirectory();
  const parent = directory.path;
  await using first = await openCheckpointRig({ parent });
  shell(first.root, "printf 1 >a; printf 1 >b");
  await first.turn("printf 2 >a; rm b");
  mkdirSync(join(parent, "elsewhere"));
  await using second = await openCheckpointRig({ parent, root: join(parent, "elsewhere") });
  shell(second.root, "printf mine >a");
  expect(second.checkpoints.damage?.message).toContain("they are of the folder");
  await second.turn("printf x >c");
  await expect(second.rewind({ at: 0 }, ["contested", "foreign"])).rejects.toMatchObject({
    reason: "CheckpointMissing",
  });
  expect(shell(second.root, "cat a; ls")).toBe("minea\nc\n");
});

test("[SES-15] nothing is changed or removed but below the root, by the words of its path alone", async () => {
  await using directory = temporaryDirectory();
  const root = join(directory.path, "root");
  mkdirSync(root);
  for (const path of ["", "/", ".", "..", "../x", "a/../../x", "/etc", "a//b"]) {
    expect(() => hostTree.remove(root, path)).toThrow();
    expect(() => hostTree.setMode(root, path, 0o700)).toThrow();
    expect(() => hostTree.makeFolder(root, path, 0o700)).toThrow();
    expect(() => hostTree.put(root, path, { kind: "symlink", target: "x" })).toThrow();
  }
  for (const wrong of ["", "root", "./root"]) expect(() => hostTree.remove(wrong, "a")).toThrow();
  expect(existsSync(root)).toBe(true);
});

test("[SES-15] nothing is seen below a link, or below a file", async () => {
  await using directory = temporaryDirectory();
  const root = directory.path;
  mkdirSync(join(root, "folder"));
  writeFileSync(join(root, "folder", "file"), "x");
  symlinkSync("x", join(root, "folder", "link"));
  symlinkSync("folder", join(root, "away"));
  for (const path of ["away/file", "away/link", "folder/file/x", "gone/x"]) {
    expect(hostTree.stat(root, path)).toBeUndefined();
    expect(() => hostTree.readLink(root, path)).toThrow();
    expect(() => hostTree.read(root, path, 9)).toThrow();
  }
  expect(hostTree.stat(root, "folder/file")?.kind).toBe("file");
  expect(hostTree.readLink(root, "folder/link")).toBe("x");
});

test("[SES-15] no mode is changed through a link, and no folder that is not empty is removed", async () => {
  await using directory = temporaryDirectory();
  const root = directory.path;
  writeFileSync(join(root, "file"), "x", { mode: 0o600 });
  symlinkSync("file", join(root, "link"));
  mkdirSync(join(root, "folder"));
  writeFileSync(join(root, "folder", "x"), "x");
  expect(() => hostTree.setMode(root, "link", 0o777)).toThrow();
  expect(() => hostTree.makeFolder(root, "link", 0o777)).toThrow();
  expect(statSync(join(root, "file")).mode & 0o777).toBe(0o600);
  expect(() => hostTree.remove(root, "folder")).toThrow();
  expect(existsSync(join(root, "folder", "x"))).toBe(true);
});

test("[SES-15] what is changed between the preview and the act stays, also where its times do not show it", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  shell(root, "printf 1 >a; printf 1 >m; printf 1 >gone");
  const { start } = await rig.turn("printf 2 >a; printf 2 >new; chmod 755 m; rm gone");
  const { signal } = new AbortController();
  const { token } = await rig.checkpoints.preview(start, 1, signal);
  const tree: { -readonly [Key in keyof typeof hostTree]: (typeof hostTree)[Key] } = hostTree;
  const { pause } = tree;
  let pauses = 0;
  // At each moment at which others may run, they do.
  tree.pause = async (stop) => {
    pauses += 1;
    shell(root, "printf 9 >a; printf 9 >new; printf 9 >gone; chmod 700 m");
    await pause(stop);
  };
  try {
    await rig.checkpoints.rewind(start, { token, overwrite: [], turn: 1 }, signal).catch(() => undefined);
  } finally {
    tree.pause = pause;
  }
  expect(pauses).toBeGreaterThan(0);
  expect(shell(root, "cat a new gone; stat -c %a m")).toBe("999700\n");
});

test("[SES-15] what was changed after the preview that a person has said yes to is not set back by that", async () => {
  await using rig = await openCheckpointRig();
  shell(rig.root, "printf 1 >a; printf 1 >b");
  const { start } = await rig.turn("printf 2 >a; printf 2 >b");
  const { signal } = new AbortController();
  const { token } = await rig.checkpoints.preview(start, 1, signal);
  rig.outside("printf mine >b");
  const act = rig.checkpoints.rewind(start, { token, overwrite: ["contested", "foreign"], turn: 1 }, signal);
  await expect(act).rejects.toMatchObject({ reason: "RewindChanged" });
  expect(shell(rig.root, "cat a b")).toBe("2mine");
});

requireProgram("git")(
  "[SES-15] repositories in the workspace are left unchanged, and a notice says where they moved",
  async () => {
    await using rig = await openCheckpointRig();
    const { root } = rig;
    shell(
      root,
      "mkdir -p one two && cd one && git init -q . && printf 1 >f && git add f && git commit -qm x",
    );
    const { start } = await rig.turn("rm -rf one; cd two && git init -q . && printf n >n");
    expect(rig.events[0]?.payload).toEqual({ turn: 1, files: 1 });
    const done = await rig.rewind(start);
    expect(done.notRestorable).toEqual([
      { path: "one/.git", why: "git's own folder" },
      { path: "two/.git", why: "git's own folder, which is there now" },
    ]);
    expect(shell(root, "cat one/f; ls -A two")).toBe("1.git\n");
  },
);

test("[SES-15] a folder that a turn made read-only, with what is in it, comes back", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  shell(root, "mkdir d; printf 1 >d/a; mkdir e");
  const before = treeOf(root);
  const { start } = await rig.turn(
    "printf 2 >d/a; printf n >d/n; mkdir e/f; printf x >e/f/x; chmod 500 d e/f",
  );
  await rig.rewind(start);
  expect(treeOf(root)).toEqual(before);
});

test("[SES-15] each name of a file that has several is set back, whatever happened to the others a moment before", async () => {
  await using rig = await openCheckpointRig();
  shell(rig.root, "printf one >a; ln a b; ln a c; printf mode >m; ln m n");
  shell(rig.root, "chmod 644 a m");
  const { start } = await rig.turn("printf changed >a; chmod 600 m");
  const done = await rig.rewind(start);
  expect({ ...done, restored: done.restored.toSorted() }).toEqual({
    restored: ["a", "b", "c", "m", "n"],
    kept: [],
    notRestorable: [],
  });
  expect(shell(rig.root, "cat a b c m n; stat -c %a a b c m n")).toBe(
    "oneoneonemodemode644\n644\n644\n644\n644\n",
  );
});
