import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { requireProgram } from "../../../../test/support/requires.ts";
import { temporaryDirectory, testWorld } from "../../../../test/support/world.ts";
import { hasReason } from "../../../base/errors.ts";
import type { Memory } from "../memory.ts";
import { FOLDER_BYTES_MAX, MEMORIES_MAX } from "../memory.ts";
import { Memories } from "./memories.ts";
import { renderMemory } from "./memory-file.ts";
import { findMemoryFolders } from "./memory-folders.ts";

function openRig() {
  const directory = temporaryDirectory();
  const world = testWorld();
  const places = { user: join(directory.path, "user"), project: join(directory.path, "project") };
  return {
    world,
    path: directory.path,
    places,
    open: () => new Memories(world, places),
    write(path: string, text: string): void {
      const whole = join(directory.path, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, text);
    },
    read: (path: string) => readFileSync(join(directory.path, path), "utf8"),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const memory = (name: string, parts: Partial<Memory> = {}): Memory => ({
  name,
  type: "project",
  description: `about ${name}`,
  tags: [],
  content: "Body.",
  ...parts,
});
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (thrown: unknown) => (thrown as { readonly reason?: string }).reason ?? String(thrown),
  );

test("[CTX-02] each memory is one file in the folder of its type, and the index names them all", async () => {
  await using rig = openRig();
  const memories = rig.open();
  await memories.write(memory("b"));
  await memories.write(memory("a"));
  await memories.write(memory("me", { type: "user" }));
  expect(rig.read("project/MEMORY.md")).toBe("- [a](a.md): about a\n- [b](b.md): about b\n");
  expect(rig.read("user/MEMORY.md")).toBe("- [me](me.md): about me\n");
  expect(readdirSync(rig.places.project).sort()).toEqual([".memory.lock", "MEMORY.md", "a.md", "b.md"]);
  const modes = ["project", "project/a.md", "project/MEMORY.md"].map(
    (each) => statSync(join(rig.path, each)).mode & 0o777,
  );
  expect(modes).toEqual([0o700, 0o600, 0o600]);
  const { memories: all, problems } = await rig.open().read();
  expect(problems).toEqual([]);
  expect(all.map(({ name, scope }) => [name, scope])).toEqual([
    ["a", "project"],
    ["b", "project"],
    ["me", "user"],
  ]);
});

test("[CTX-02] one that changes its type moves; one that is forgotten is gone, with its line", async () => {
  await using rig = openRig();
  const memories = rig.open();
  await memories.write(memory("note"));
  await memories.write(memory("note", { type: "feedback", content: "New." }));
  expect(rig.read("project/MEMORY.md")).toBe("");
  expect((await memories.find("NOTE"))?.content).toBe("New.");
  expect((await memories.forget("note"))?.type).toBe("feedback");
  expect(readdirSync(rig.places.user).sort()).toEqual([".memory.lock", "MEMORY.md"]);
  expect(rig.read("user/MEMORY.md")).toBe("");
  for (const name of ["note", "MEMORY", "../user/MEMORY", ""])
    expect(await reasonOf(memories.forget(name))).toBe("MemoryMissing");
});

test("[CTX-02] what is forgotten is a file or a link: neither a folder with its contents nor what a link leads to", async () => {
  await using rig = openRig();
  const memories = rig.open();
  await memories.write(memory("note"));
  const { project } = rig.places;
  mkdirSync(join(project, "kept.md", "below"), { recursive: true });
  writeFileSync(join(project, "kept.md", "below", "mine"), "mine");
  symlinkSync(join(project, "kept.md"), join(project, "link.md"));
  expect(await reasonOf(memories.forget("kept"))).toBe("MemoryMissing");
  await memories.forget("link");
  expect(readdirSync(project).sort()).toEqual([".memory.lock", "MEMORY.md", "kept.md", "note.md"]);
  expect(readdirSync(join(project, "kept.md", "below"))).toEqual(["mine"]);
});

test("[CTX-02 R31] a broken file is skipped, reported with its line and left unchanged; the others count", async () => {
  await using rig = openRig();
  const memories = rig.open();
  await memories.write(memory("good"));
  rig.write("project/bad.md", "no head");
  rig.write("project/huge.md", "x".repeat(20_000));
  rig.write("project/folder.md/x", "");
  rig.write("secret.txt", renderMemory(memory("link")));
  symlinkSync("../secret.txt", join(rig.places.project, "link.md"));
  rig.write("project/notes.txt", "not ours");
  await memories.write(memory("other"));
  const { memories: all, problems } = await memories.read();
  expect(all.map(({ name }) => name)).toEqual(["good", "other"]);
  expect(problems.map((each) => each.replace(`${rig.places.project}/`, ""))).toEqual([
    "bad.md:1: it does not begin with a line of ---. It was left out.",
    "folder.md:1: it is not a file and was not read.",
    "huge.md:1: it has more than 16384 bytes and was not read.",
    "link.md:1: it is not a file and was not read.",
  ]);
  expect(rig.read("project/bad.md")).toBe("no head");
  expect(rig.read("project/MEMORY.md")).toBe(
    "- [good](good.md): about good\n- [other](other.md): about other\n",
  );
});

test("[CTX-02] a file that a person adds, changes or removes counts from then on, whatever the index says", async () => {
  await using rig = openRig();
  const memories = rig.open();
  rig.write("user/mine.md", "---\ntype: user\n---\nI write C.\n");
  expect((await memories.find("mine"))?.description).toBe("I write C.");
  rig.write("user/mine.md", "---\ntype: user\n---\nI write Rust, and it is longer.\n");
  expect((await memories.find("mine"))?.content).toBe("I write Rust, and it is longer.");
  await rig.world.files.remove(join(rig.places.user, "mine.md"));
  expect(await memories.find("mine")).toBeUndefined();
});

test("[CTX-02] of two processes that write at once neither loses what the other wrote, in files and index", async () => {
  await using rig = openRig();
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const files = {
    ...rig.world.files,
    async writeAtomic(path: string, content: string | Uint8Array, mode?: number) {
      if (path.endsWith("MEMORY.md")) {
        reached.resolve();
        await held.promise;
      }
      await rig.world.files.writeAtomic(path, content, mode);
    },
  };
  const first = new Memories({ ...rig.world, files }, rig.places).write(memory("a"));
  await reached.promise; // its index is made, and not written yet
  let isDone = false;
  const second = rig
    .open()
    .write(memory("b"))
    .finally(() => {
      isDone = true;
    });
  while (!isDone && rig.world.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
  held.resolve();
  await first;
  await rig.world.clock.advance(20);
  await second;
  expect(rig.read("project/MEMORY.md")).toBe("- [a](a.md): about a\n- [b](b.md): about b\n");
  expect(readdirSync(rig.places.project).sort()).toEqual([".memory.lock", "MEMORY.md", "a.md", "b.md"]);
});

test("[CTX-02 REL-04] a folder has room for so many, and what is too much is refused and changes nothing", async () => {
  await using rig = openRig();
  for (let at = 0; at < MEMORIES_MAX; at++) rig.write(`project/n${at}.md`, renderMemory(memory(`n${at}`)));
  const memories = rig.open();
  expect(await reasonOf(memories.write(memory("one-more")))).toBe("MemoryFull");
  expect(await memories.find("one-more")).toBeUndefined();
  await memories.write(memory("n7", { content: "changed" }));
  expect((await memories.find("n7"))?.content).toBe("changed");
  rig.write("project/zz.md", renderMemory(memory("zz")));
  expect((await memories.read()).problems).toEqual([
    `${rig.places.project}: 1 files were left out, since ${MEMORIES_MAX} are read.`,
  ]);
  const big = "x".repeat(8_000);
  for (let at = 0; at < FOLDER_BYTES_MAX / 8_192 + 1; at++)
    rig.write(`user/n${at}.md`, renderMemory(memory(`n${at}`, { type: "user", content: big })));
  expect(await reasonOf(memories.write(memory("last", { type: "user", content: big })))).toBe("MemoryFull");
});

test("[CTX-02 REL-01] a folder that cannot be written is reported, and its files stay", async () => {
  await using rig = openRig();
  await rig.open().write(memory("note"));
  const files = {
    ...rig.world.files,
    writeAtomic: () => Promise.reject(Object.assign(new Error("no space left"), { code: "ENOSPC" })),
  };
  const full = new Memories({ ...rig.world, files }, rig.places);
  const thrown: unknown = await full.write(memory("more")).catch((each: unknown) => each);
  expect(hasReason(thrown, "MemoryUnwritable") && thrown.fields.detail).toBe("no space left");
  expect(readdirSync(rig.places.project).sort()).toEqual([".memory.lock", "MEMORY.md", "note.md"]);
});

requireProgram("git")(
  "[CTX-02] all worktrees of a repository share its memories; a folder that claims to be one does not",
  async () => {
    await using rig = openRig();
    const git = (...words: readonly string[]) =>
      Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
        cwd: rig.path,
      });
    git("init", "-q", "main");
    git("-C", "main", "commit", "-q", "--allow-empty", "-m", "one");
    git("-C", "main", "worktree", "add", "-q", "../tree");
    rig.write("main/src/x", "");
    rig.write("fake/.git", readFileSync(join(rig.path, "tree/.git"), "utf8"));
    rig.write("plain/x", "");
    const of = async (folder: string) =>
      (await findMemoryFolders(rig.world.files, "/data", join(rig.path, folder))).project.replace(
        /[0-9a-f]{16}$/,
        "HASH",
      );
    const whole = async (folder: string) =>
      (await findMemoryFolders(rig.world.files, "/data", join(rig.path, folder))).project;
    expect(await of("main/src")).toBe("/data/memory/projects/main-HASH");
    expect(await whole("main/src")).toBe(await whole("main"));
    expect(await whole("tree")).toBe(await whole("main"));
    expect(await whole("fake")).not.toBe(await whole("main"));
    expect(await of("fake")).toBe("/data/memory/projects/fake-HASH");
    expect(await of("plain")).toBe("/data/memory/projects/plain-HASH");
  },
);
