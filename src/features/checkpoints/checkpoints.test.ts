import { expect, test } from "bun:test";
import { openCheckpointRig, shell, treeOf, write } from "../../../test/support/checkpoint-rig.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { testWorld } from "../../../test/support/world.ts";
import { exportName } from "../../session/transcript/export-name.ts";

test("[SES-15] files that a turn changed, removed, renamed and made are as they were before it", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  shell(
    root,
    "printf one >a; printf two >b; mkdir -p d/e; printf three >d/e/c; ln -s a link; mkdir empty; chmod 755 b",
  );
  const before = treeOf(root);
  const { start } = await rig.turn(
    "printf ONE >a; rm b; mv d/e/c moved; rmdir d/e; ln -sfn moved link; mkdir -p new/deep; printf x >new/deep/x; rmdir empty",
    "chmod 600 a; rm -r d; printf file >d",
  );
  expect(treeOf(root)).not.toEqual(before);
  const done = await rig.rewind(start);
  expect(treeOf(root)).toEqual(before);
  expect(done).toMatchObject({ kept: [], notRestorable: [] });
});

requireProgram("git")(
  "[SES-15] in a repository clean files come from its objects, and its index, refs and status stay as they are",
  async () => {
    await using rig = await openCheckpointRig({ git: true });
    const { root } = rig;
    write(root, "src/a.ts", "a\n".repeat(100));
    write(root, "src/b.ts", "b\n");
    write(root, ".gitignore", ".env\nout/\n");
    write(root, ".env", "KEY=1\n");
    shell(
      root,
      "git add . && git commit -qm one && git gc -q && touch -d '1 hour ago' .git/index && printf dirty >>src/b.ts",
    );
    const [before, status] = [
      treeOf(root),
      shell(root, "git status --porcelain; sha1sum .git/index; git rev-parse HEAD"),
    ];
    const { start } = await rig.turn("printf X >src/a.ts; rm src/b.ts .env; mkdir out; printf o >out/o");
    await rig.rewind(start);
    expect(treeOf(root)).toEqual(before);
    expect(shell(root, "sha1sum .git/index; git rev-parse HEAD")).toBe(
      status.split("\n").slice(-3).join("\n"),
    );
  },
);

test("[SES-15] files that somebody else changed stay, and are reported, unless that set is named", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  shell(root, "printf 1 >both; printf 1 >mine; printf 1 >yours");
  const first = await rig.turn("printf 2 >both; printf 2 >mine");
  rig.outside("printf 3 >both; printf 3 >yours; printf n >new");
  const second = await rig.turn("printf 4 >mine");
  const done = await rig.rewind(first.start);
  expect(shell(root, "cat both mine yours new")).toBe("313n");
  expect(done).toEqual({
    restored: ["mine"],
    kept: [
      { path: "both", why: "you, or something else, changed it too, or may have" },
      { path: "new", why: "it was not changed by cinch" },
      { path: "yours", why: "it was not changed by cinch" },
    ],
    notRestorable: [],
  });
  await rig.rewind(first.start, ["contested", "foreign"]);
  expect(shell(root, "cat both mine yours; ls")).toBe("111both\nmine\nyours\n");
  await rig.rewind(second.end);
  expect(shell(root, "cat both mine yours new")).toBe("343n");
});

test("[SES-15] what a call changes is its own, also where the workspace is looked at before it has ended", async () => {
  await using rig = await openCheckpointRig();
  const { checkpoints, root } = rig;
  const { signal } = new AbortController();
  shell(root, "printf 1 >named; printf 1 >other");
  const edit = [`${root}/named`];
  const edited = await checkpoints.before(edit, { turn: 1, signal, emit: () => undefined });
  shell(root, "printf 2 >named; printf mine >other");
  await checkpoints.preview({ at: 0, startOf: 1 }, 1, signal); // it waited for its turn while the call ran
  await checkpoints.after(edited, signal);
  const ran = await checkpoints.before("anything", { turn: 1, signal, emit: () => undefined });
  shell(root, "printf new >made");
  await checkpoints.preview({ at: 0, startOf: 1 }, 1, signal);
  await checkpoints.after(ran, signal);
  shell(root, "printf mine >later");
  const { steps, contested, foreign } = await checkpoints.preview({ at: 0, startOf: 1 }, 1, signal);
  const paths = [steps, contested, foreign].map((set) => set.map(({ path }) => path));
  expect(paths).toEqual([["made", "named"], [], ["later", "other"]]);
});

test("[SES-15] a session that was written to a file of the workspace is no change, and stays without a question", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  const session = testWorld().ids.next("sess");
  shell(root, "printf 1 >a");
  const { start } = await rig.turn("printf 2 >a");
  const names = [exportName(session, "jsonl"), exportName(session, "markdown"), "cinch-mine.md"];
  for (const name of names) rig.outside(`printf x >${name}`);
  await rig.turn("true");
  const done = await rig.rewind(start, ["contested", "foreign"]);
  expect(done).toEqual({ restored: ["cinch-mine.md", "a"], kept: [], notRestorable: [] });
  expect(shell(root, "cat a; ls")).toBe(`1a\n${names.slice(0, 2).join("\n")}\n`);
});

test("[SES-15] a rewind can be set back like a turn, also in another process", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  shell(root, "printf 1 >a");
  const one = await rig.turn("printf 2 >a");
  const two = await rig.turn("printf 3 >a; printf b >b");
  await rig.rewind(one.start);
  expect(shell(root, "cat *")).toBe("1");
  await rig.reopen();
  await rig.rewind(two.end);
  expect(shell(root, "cat *")).toBe("3b");
  await rig.rewind(one.end);
  expect(shell(root, "cat *")).toBe("2");
});

test("[SES-15] what stands behind a link is not taken for what stood in a folder of that name", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  shell(root, "mkdir -p b/a other/a; printf 1 >b/f; printf 1 >other/f; ln -s x b/l; ln -s x other/l");
  const before = treeOf(root);
  const { start } = await rig.turn("rm -r b");
  const { end } = await rig.turn("ln -s other b");
  const after = treeOf(root);
  for (let round = 0; round < 2; round += 1) {
    expect(await rig.rewind(start)).toMatchObject({ kept: [], notRestorable: [] });
    expect(treeOf(root)).toEqual(before);
    expect(await rig.rewind(end)).toMatchObject({ kept: [], notRestorable: [] });
    expect(treeOf(root)).toEqual(after);
  }
});

test("[SES-15] a folder that a turn made stays with the files that somebody put into it, and is removed on request", async () => {
  await using rig = await openCheckpointRig();
  const { root } = rig;
  const { start } = await rig.turn("mkdir -p d/e; printf 1 >d/e/mine");
  rig.outside("printf 2 >d/e/yours");
  await rig.turn("true");
  const done = await rig.rewind(start);
  expect({ restored: done.restored, kept: done.kept.map(({ path }) => path) }).toEqual({
    restored: ["d/e/mine"],
    kept: ["d/e/yours", "d", "d/e"],
  });
  expect(shell(root, "find . | sort")).toBe(".\n./d\n./d/e\n./d/e/yours\n");
  await rig.rewind(start, ["contested", "foreign"]);
  expect(treeOf(root)).toEqual({});
});
