import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openCheckpointRig, shell, treeOf } from "../../../test/support/checkpoint-rig.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { until } from "../../../test/support/until.ts";
import { temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import { hostFiles } from "../../platform/files/files.ts";
import { hostTree } from "../../platform/files/tree.ts";
import { RECORDED_FILE_BYTES_MAX } from "./recording-limits.ts";
import { spaceFor } from "./store/disk-space.ts";

function full(): Promise<never> {
  return Promise.reject(Object.assign(new Error("no space left on device"), { code: "ENOSPC" }));
}

test("[SES-15 R15] where the disk is full nothing is changed: the call is refused, and goes once there is room", async () => {
  let isFull = true;
  const writeAtomic: typeof hostFiles.writeAtomic = (...args) =>
    isFull ? full() : hostFiles.writeAtomic(...args);
  await using rig = await openCheckpointRig({ files: { writeAtomic } });
  shell(rig.root, "printf 1 >a");
  await expect(rig.turn("printf 2 >a")).rejects.toMatchObject({ reason: "CheckpointUnwritable" });
  expect(readFileSync(join(rig.root, "a"), "utf8")).toBe("1");
  isFull = false;
  const { start } = await rig.turn("printf 2 >a");
  await rig.rewind(start);
  expect(readFileSync(join(rig.root, "a"), "utf8")).toBe("1");
});

test("[SES-15 R15] a disk that is full at any one of its writes leaves a store that opens, and what it says it kept", async () => {
  for (let failing = 1; failing <= 6; failing += 1) {
    let writes = 0;
    const writeAtomic: typeof hostFiles.writeAtomic = (...args) => {
      writes += 1;
      return writes === failing ? full() : hostFiles.writeAtomic(...args);
    };
    await using rig = await openCheckpointRig({ files: { writeAtomic } });
    const { root } = rig;
    shell(root, "printf 1 >a; printf 1 >b");
    const seen = [];
    for (const turn of [2, 3, 4]) {
      const before = treeOf(root);
      const done = await rig.turn(`printf ${turn} >a`).catch(() => undefined);
      if (done !== undefined) seen.push({ at: done.start, tree: before });
    }
    expect(seen.length).toBeGreaterThan(0);
    await rig.reopen();
    expect(rig.checkpoints.damage).toBeUndefined();
    for (const { at, tree } of seen.toReversed()) {
      await rig.rewind(at, ["contested", "foreign"]);
      expect(treeOf(root)).toEqual(tree);
    }
  }
});

test("[SES-15 R13] killed at any moment while files are stored, earlier checkpoints open and can be restored", async () => {
  for (let round = 0; round < 4; round += 1) {
    await using directory = temporaryDirectory();
    const parent = directory.path;
    const script = join(import.meta.dir, "../../../test/support/checkpoint-child.ts");
    const child = spawn(process.execPath, [script, parent, "keeping"]);
    const [ready] = (await once(child.stdout, "data")) as [Buffer];
    expect(String(ready)).toBe("ready\n");
    const data = join(parent, "data");
    const before = readdirSync(data).length;
    await until("it keeps", () => readdirSync(data).length > before + round * 2);
    child.kill("SIGKILL");
    await once(child, "exit");
    await using rig = await openCheckpointRig({ parent, last: 1_000_000 });
    expect(rig.checkpoints.damage).toBeUndefined();
    await rig.rewind({ at: 1, startOf: 1 }, ["contested", "foreign"]);
    expect(treeOf(join(parent, "work"))).toEqual({});
  }
}, 300_000);

test("[SES-15] a file that is too large, or without space left, is reported before the first change, and left unchanged", async () => {
  await using rig = await openCheckpointRig({ room: 3_000 });
  const { root } = rig;
  shell(
    root,
    `truncate -s ${RECORDED_FILE_BYTES_MAX + 1} large; head -c 2000 /dev/zero >b; head -c 2000 /dev/urandom >c; printf 1 >a`,
  );
  const { start } = await rig.turn("printf 2 >a; printf 2 >b; printf 2 >c; printf 2 >large");
  expect(rig.events).toEqual([
    { kind: "CheckpointMade", payload: { turn: 1, files: 2, notRestorable: ["c", "large"] } },
  ]);
  const done = await rig.rewind(start);
  expect(done).toMatchObject({
    restored: ["a", "b"],
    notRestorable: [
      { path: "c", why: "no room for it" },
      { path: "large", why: "larger than 16 MB" },
    ],
  });
  expect(shell(root, "cat a; wc -c <b; cat c large")).toBe("12000\n22");
});

requireProgram("git")(
  "[SES-15] large ignored folders are one entry that cannot be set back; small ignored files can",
  async () => {
    await using rig = await openCheckpointRig({ git: true });
    const { root } = rig;
    shell(
      root,
      "mkdir -p node_modules small; printf 'node_modules\\nsmall/\\n.env\\n' >.gitignore; printf K >.env; printf s >small/s",
    );
    shell(root, "cd node_modules; for i in $(seq 600); do printf $i >$i; done");
    const { start } = await rig.turn("printf X >.env; rm -r small; rm node_modules/1");
    expect(rig.events[0]?.payload).toMatchObject({ notRestorable: ["node_modules"] });
    const done = await rig.rewind(start);
    expect(done.restored.toSorted()).toEqual([".env", "small", "small/s"]);
    expect(existsSync(join(root, "node_modules/1"))).toBe(false);
  },
);

test("[SES-15] a link is set back as a link, and never written through", async () => {
  await using outside = temporaryDirectory();
  await using rig = await openCheckpointRig();
  const { root } = rig;
  writeFileSync(join(outside.path, "secret"), "untouched");
  mkdirSync(join(outside.path, "sub"));
  shell(root, "mkdir d; printf 1 >d/secret; printf 1 >f; mkdir -p e/sub; printf 1 >e/sub/x");
  const before = treeOf(root);
  const { start } = await rig.turn(
    `printf 2 >d/secret; rm f; ln -s ${outside.path}/secret f; rm -r e; ln -s ${outside.path} e`,
  );
  await rig.rewind(start);
  expect(treeOf(root)).toEqual(before);
  // Somebody swaps a folder for a link to elsewhere between the preview and the act.
  const second = await rig.turn("printf 3 >d/secret");
  const { signal } = new AbortController();
  const { token } = await rig.checkpoints.preview(second.start, 2, signal);
  rmSync(join(root, "d"), { recursive: true });
  symlinkSync(outside.path, join(root, "d"));
  const acted = rig.checkpoints.rewind(second.start, { token, overwrite: ["contested"], turn: 2 }, signal);
  await acted.catch(() => undefined);
  expect(readFileSync(join(outside.path, "secret"), "utf8")).toBe("untouched");
  expect(readdirSync(outside.path).sort()).toEqual(["secret", "sub"]);
});

test("[SES-15] a rewind that broke off is repeated, and comes to the same end", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  shell(root, "for i in $(seq 20); do printf 1 >f$i; done; mkdir gone; printf g >gone/g");
  const before = treeOf(root);
  const { start } = await rig.turn(
    "for i in $(seq 20); do printf 2 >f$i; done; rm -r gone; mkdir new; printf n >new/n",
  );
  const { signal } = new AbortController();
  const { token } = await rig.checkpoints.preview(start, 1, signal);
  const stop = new AbortController();
  const running = rig.checkpoints.rewind(start, { token, overwrite: [], turn: 1 }, stop.signal);
  stop.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
  await rig.reopen();
  await rig.rewind(start);
  expect(treeOf(root)).toEqual(before);
});

test("[SES-15] what a rewind has set back before it was stopped is nobody else's work, also for another process", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  shell(root, "for i in $(seq 40); do printf 1 >f$i; done");
  const { start, end } = await rig.turn("for i in $(seq 40); do printf 2 >f$i; done");
  const after = treeOf(root);
  const { token } = await rig.checkpoints.preview(start, 1, new AbortController().signal);
  const stop = new AbortController();
  const tree: { -readonly [Key in keyof typeof hostTree]: (typeof hostTree)[Key] } = hostTree;
  const { pause } = tree;
  tree.pause = async (signal) => {
    if (shell(root, "cat f*").includes("1")) stop.abort(new Error("stopped"));
    await pause(signal);
  };
  try {
    const running = rig.checkpoints.rewind(start, { token, overwrite: [], turn: 1 }, stop.signal);
    await expect(running).rejects.toThrow("stopped");
  } finally {
    tree.pause = pause;
  }
  expect(shell(root, "cat f*")).toContain("2");
  await rig.reopen();
  expect(await rig.rewind(end)).toMatchObject({ kept: [], notRestorable: [] });
  expect(treeOf(root)).toEqual(after);
});

test("[SES-15] changes of a turn whose process was killed are reported without an author, and restored on request", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  shell(root, "printf 1 >a; printf 1 >b");
  const before = treeOf(root);
  const { signal } = new AbortController();
  await rig.checkpoints.before("anything", { turn: 1, signal, emit: () => undefined });
  shell(root, "printf 2 >a; rm b");
  await rig.reopen(); // killed: nothing of the end of the turn is there
  const start = { at: 0, startOf: 1 };
  expect(await rig.rewind(start)).toMatchObject({ restored: [], kept: [{ path: "a" }, { path: "b" }] });
  await rig.rewind(start, ["contested"]);
  expect(treeOf(root)).toEqual(before);
});

test("[SES-15 R13] killed in the middle of setting back, again and again, each file is one of both, and the next rewind comes to its end", async () => {
  for (let round = 0; round < 4; round += 1) {
    await using directory = temporaryDirectory();
    const parent = directory.path;
    const child = spawn(process.execPath, [
      join(import.meta.dir, "../../../test/support/checkpoint-child.ts"),
      parent,
    ]);
    const [ready] = (await once(child.stdout, "data")) as [Buffer];
    expect(String(ready)).toBe("ready\n");
    const data = join(parent, "data");
    // Some rewinds later it is somewhere in the middle of one.
    const before = readdirSync(data).length;
    await until("it has set back", () => readdirSync(data).length > before + 1 + (round % 3));
    child.kill("SIGKILL");
    await once(child, "exit");
    const work = join(parent, "work");
    for (const name of readdirSync(work)) {
      if (name.startsWith("f")) expect(["1", "2"]).toContain(readFileSync(join(work, name), "utf8"));
    }
    await using rig = await openCheckpointRig({ parent, last: 1_000_000 });
    const overwrite = ["contested", "foreign"] as const;
    await rig.rewind({ at: 1, startOf: 1 }, overwrite);
    // What it was writing when it was killed is left, and the folder that this is in: no more is removed than was told.
    const left = Object.keys(treeOf(work));
    const unfinished = left.filter((path) => path.endsWith(".cinch-tmp"));
    expect(left.filter((path) => !unfinished.some((file) => `${file}/`.startsWith(`${path}/`)))).toEqual([]);
    expect(unfinished.length).toBeLessThanOrEqual(1);
  }
}, 300_000);

test("[SES-15] damaged or removed contents are reported, and the rest is restored", async () => {
  await using rig = await openCheckpointRig();
  const { root, data } = rig;
  shell(root, "printf 1 >a; chmod 600 a; printf 1 >gone; printf dd >b");
  const { start } = await rig.turn("printf 2 >a; chmod 755 b");
  for (const name of readdirSync(data))
    if (name.endsWith(".contents")) writeFileSync(join(data, name), "damaged");
  await rig.reopen();
  const done = await rig.rewind(start);
  expect(done.restored).toEqual(["b"]);
  expect(done.notRestorable).toEqual([
    { path: "a", why: "its content is missing or damaged in the checkpoint store" },
  ]);
  expect(shell(root, "cat a; stat -c %a b")).toBe("2644\n");
});

test("[SES-15] the bound is kept over all sessions: the oldest go first, never one that is pinned, live or the own", async () => {
  await using directory = temporaryDirectory();
  const folder = directory.path;
  const { ids } = testWorld();
  const [old, pinned, newer, own] = [ids.next("log"), ids.next("log"), ids.next("log"), ids.next("log")];
  for (const [log, age] of [
    [old, 4],
    [pinned, 5],
    [newer, 2],
    [own, 6],
    ["somebody's", 9],
  ] as const) {
    mkdirSync(join(folder, log));
    writeFileSync(join(folder, log, "1.record"), "x".repeat(1_000));
    shell(folder, `touch -d '${age} days ago' "${log}/1.record"`);
  }
  const gone: string[] = [];
  const room = await spaceFor({
    files: hostFiles,
    folder,
    log: own,
    bytesMax: 3_500,
    mayGo: (log) => Promise.resolve(log !== pinned),
    onLetGo: (logs, bytes) => void gone.push(...logs, String(bytes)),
  });
  expect({ room, gone, left: readdirSync(folder).sort() }).toEqual({
    room: 500,
    gone: [old, "1000"],
    left: [newer, own, pinned, "somebody's"].sort(),
  });
});
