import { expect } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { requireProgram } from "../../../../test/support/requires.ts";
import { until } from "../../../../test/support/until.ts";
import { temporaryDirectory } from "../../../../test/support/world.ts";
import type { CallId } from "../../../base/ids.ts";
import { ulidSource } from "../../../base/ids.ts";
import { SILENT_LOG } from "../../../base/log.ts";
import { NO_GIT } from "../../../guard/sandbox/policy/trusted-program.ts";
import { hostWorld } from "../../../platform/host.ts";
import { openGit } from "./git.ts";
import type { WorktreeContext } from "./worktree.ts";
import { closeWorktree, openWorktree, removeWorktree, worktreeText } from "./worktree.ts";
import { WorktreeRecords } from "./worktree-record.ts";

const gitTest = requireProgram("git");

// Real git, real repositories, and what a repository may say to have git run something.

const world = hostWorld(SILENT_LOG);
const { signal } = new AbortController();
const PATH = "/usr/local/bin:/usr/bin:/bin";
const ENV = {
  PATH,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "t",
  GIT_AUTHOR_EMAIL: "t@example.org",
  GIT_COMMITTER_NAME: "t",
  GIT_COMMITTER_EMAIL: "t@example.org",
};
const ids = ulidSource(
  () => 0,
  (count) => crypto.getRandomValues(new Uint8Array(count)),
);

interface Rig extends AsyncDisposable {
  readonly place: WorktreeContext;
  readonly repo: string;
  readonly root: string;
  git(...args: string[]): string;
  write(path: string, text: string): void;
  /** A program that tells that it ran. */
  readonly canary: string;
  readonly ran: () => boolean;
  open(workspace?: string): ReturnType<typeof openWorktree>;
}

async function rig(): Promise<Rig> {
  const directory = temporaryDirectory();
  const root = directory.path;
  const repo = join(root, "repo");
  mkdirSync(repo);
  const git = (...args: string[]) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "-C", repo, ...args], { env: ENV });
    if (exitCode !== 0) throw new Error(stderr.toString());
    return stdout.toString();
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  };
  git("init", "-q", "-b", "trunk");
  write("a.txt", "one\n");
  write("sub/b.txt", "two\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  const canary = join(root, "canary.sh");
  const mark = join(root, "ran");
  writeFileSync(canary, `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat\n`);
  chmodSync(canary, 0o755);
  const place: WorktreeContext = {
    world,
    git: await openGit(world, { path: PATH, writable: [repo] }),
    records: new WorktreeRecords(world.files, join(root, "records")),
    folder: join(root, "worktrees"),
  };
  return {
    place,
    repo,
    root,
    git,
    write,
    canary,
    ran: () => existsSync(mark),
    open: (workspace = repo) => openWorktree({ callId: call(), agent: "maker", workspace }, place, signal),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function call(): CallId {
  return ids.next("call");
}

gitTest(
  "[ENG-28] a worktree begins at HEAD, in the same folder of the repository, and says whether the parent's tree differs",
  async () => {
    await using at = await rig();
    const clean = await at.open();
    expect(readFileSync(join(clean.root, "a.txt"), "utf8")).toBe("one\n");
    expect([clean.isParentDirty, clean.root]).toEqual([false, clean.record.path]);
    at.write("a.txt", "changed\n");
    const below = await at.open(join(at.repo, "sub"));
    expect(below.isParentDirty).toBe(true);
    expect(below.root).toBe(join(below.record.path, "sub"));
    expect(readFileSync(join(below.root, "..", "a.txt"), "utf8")).toBe("one\n");
    for (const tree of [clean, below])
      expect(await closeWorktree(tree, at.place)).toEqual({ kind: "removed" });
    expect(at.git("branch", "--list")).toBe("* trunk\n");
    expect(at.git("worktree", "list").trim().split("\n")).toHaveLength(1);
    expect(await at.place.records.list()).toEqual([]);
  },
);

gitTest("[ENG-28] edits, new files and commits each keep it; what is ignored alone does not", async () => {
  await using at = await rig();
  at.write(".gitignore", "build/\n");
  at.git("add", "-A");
  at.git("commit", "-q", "-m", "ignore");
  const inside = (path: string, ...args: string[]) =>
    Bun.spawnSync(["git", "-C", path, ...args], { env: ENV });
  const changes: Readonly<Record<string, (path: string) => void>> = {
    edited: (path) => writeFileSync(join(path, "a.txt"), "other\n"),
    "new file": (path) => writeFileSync(join(path, "c d\n.txt"), "new"),
    removed: (path) => rmSync(join(path, "a.txt")),
    staged: (path) => {
      writeFileSync(join(path, "e.txt"), "new");
      inside(path, "add", "-A");
    },
    committed: (path) => {
      writeFileSync(join(path, "e.txt"), "new");
      inside(path, "add", "-A");
      inside(path, "commit", "-q", "-m", "mine");
    },
  };
  for (const [name, change] of Object.entries(changes)) {
    const tree = await at.open();
    change(tree.root);
    const end = await closeWorktree(tree, at.place);
    expect([name, end.kind, existsSync(tree.root)]).toEqual([name, "kept", true]);
    expect(await at.place.records.list()).toContainEqual({ ...tree.record, kept: true });
    await expect(removeWorktree({ ...tree.record, kept: true }, at.place, signal)).rejects.toThrow(
      "holds changes",
    );
  }
  const ignored = await at.open();
  mkdirSync(join(ignored.root, "build"));
  writeFileSync(join(ignored.root, "build/out"), "x");
  expect(await closeWorktree(ignored, at.place)).toEqual({ kind: "removed" });
});

gitTest("[ENG-28 S26] a HEAD that its sub-agent led elsewhere moves no branch but its own", async () => {
  await using at = await rig();
  const trunk = at.git("rev-parse", "trunk");
  for (const words of ["ref: refs/heads/trunk", "ref: refs/heads/new"]) {
    const tree = await at.open();
    writeFileSync(join(tree.root, "a.txt"), "other\n");
    writeFileSync(join(tree.gitDirectory, "HEAD"), `${words}\n`);
    const end = await closeWorktree(tree, at.place).catch(() => ({ kind: "unknown" }));
    expect(end.kind).toBe(words.endsWith("trunk") ? "kept" : "unknown");
    expect(at.git("rev-parse", "trunk", `refs/heads/${tree.record.branch}`)).toBe(trunk + trunk);
  }
  const branches = at.git("branch", "--list", "--format=%(refname:short)").trim().split("\n");
  expect(branches.filter((name) => !name.startsWith("cinch/"))).toEqual(["trunk"]);
});

gitTest("[ENG-28 S22] a folder that a commit has made a link of is no way out of the worktree", async () => {
  await using at = await rig();
  const victim = join(at.root, "victim");
  mkdirSync(victim);
  for (const leads of [victim, "../../victim", "."]) {
    at.git("rm", "-rq", "--cached", "sub");
    writeFileSync(join(at.root, "link"), leads);
    const blob = at.git("hash-object", "-w", join(at.root, "link")).trim();
    at.git("update-index", "--add", "--cacheinfo", `120000,${blob},sub`);
    at.git("commit", "-q", "-m", leads);
    const opened = at.open(join(at.repo, "sub"));
    if (leads === ".") expect((await opened).root).toBe((await opened).record.path);
    else
      await expect(opened).rejects.toThrow(
        `sub/ is a link at HEAD, and leads out of the worktree to ${victim}`,
      );
  }
  expect(readdirSync(join(at.root, "worktrees"))).toHaveLength(1);
});

// Seen red with the links left where they are, and with HEAD written by git: it appends to the log that is there.
gitTest(
  "[ENG-28 S22 S27] what its sub-agent puts among git's files of it leads git to no file elsewhere",
  async () => {
    await using at = await rig();
    const theirs = join(at.root, "theirs");
    for (const kind of ["log", "folder of logs", "log of the branch", "pipe"]) {
      writeFileSync(theirs, "mine\n");
      const tree = await at.open();
      Bun.spawnSync(["git", "-C", tree.root, "commit", "-q", "--allow-empty", "-m", "made"], { env: ENV });
      const logs = join(tree.gitDirectory, "logs");
      const ofBranch = join(at.repo, ".git/logs/refs/heads", tree.record.branch);
      rmSync(logs, { recursive: true });
      mkdirSync(kind === "log of the branch" ? dirname(ofBranch) : logs, { recursive: true });
      if (kind === "log") symlinkSync(theirs, join(logs, "HEAD"));
      if (kind === "log of the branch") symlinkSync(theirs, ofBranch);
      if (kind === "pipe") Bun.spawnSync(["mkfifo", join(logs, "HEAD")]);
      if (kind === "folder of logs") {
        mkdirSync(join(at.root, "elsewhere"));
        renameSync(theirs, join(at.root, "elsewhere/HEAD"));
        symlinkSync(join(at.root, "elsewhere/HEAD"), theirs);
        rmSync(logs, { recursive: true });
        symlinkSync(join(at.root, "elsewhere"), logs);
      }
      const told = await closeWorktree(tree, at.place).then(
        (end) => worktreeText(tree, end),
        (thrown: unknown) => String(thrown),
      );
      const where = kind === "folder of logs" ? "logs" : "logs/HEAD";
      const removed = `It had put links or pipes among git's own files, which were removed: ${where}.`;
      expect(told).toContain(kind === "log of the branch" ? `something has created ${ofBranch}` : removed);
      expect(readFileSync(theirs, "utf8")).toBe("mine\n");
      rmSync(theirs);
    }
  },
);

gitTest(
  "[ENG-28] of many commits the last ones are named, with nothing in them that a terminal would obey",
  async () => {
    await using at = await rig();
    const tree = await at.open();
    for (let made = 1; made <= 12; made += 1) {
      const words = made === 12 ? `number 12 \u001b[31m${"x".repeat(200)}` : `number ${made}`;
      Bun.spawnSync(["git", "-C", tree.root, "commit", "-q", "--allow-empty", "-m", words], { env: ENV });
    }
    writeFileSync(join(tree.root, "a\u001b[31m\n.txt"), "x");
    const end = await closeWorktree(tree, at.place);
    const text = worktreeText(tree, end);
    expect(text).toMatch(
      /12 commits on it: \w{7,} number 12 .*x…; \w{7,} number 11; .*number 3; and 2 earlier\. 1 file changed.*a\\e\[31m\\n\.txt\.$/,
    );
    expect(text).not.toContain("\u001b");
  },
);

gitTest(
  "[ENG-28 S33 S34] nothing that the repository's configuration, hooks or attributes name is run",
  async () => {
    await using at = await rig();
    at.write(".gitattributes", "* filter=evil diff=evil merge=evil\n*.txt filter=ev=il\n");
    at.git("add", "-A");
    at.git("commit", "-q", "-m", "attributes");
    const keys = {
      "core.fsmonitor": at.canary,
      "core.sshCommand": at.canary,
      "core.pager": at.canary,
      "core.editor": at.canary,
      "filter.evil.smudge": at.canary,
      "filter.evil.clean": at.canary,
      "filter.evil.process": at.canary,
      "filter.evil.required": "true",
      "filter.ev=il.smudge": at.canary,
      "filter.ev=il.clean": at.canary,
      "diff.evil.textconv": at.canary,
      "diff.external": at.canary,
      "merge.evil.driver": at.canary,
    };
    for (const [key, value] of Object.entries(keys)) at.git("config", key, value);
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change", "pre-commit"]) {
      writeFileSync(join(at.repo, ".git/hooks", hook), `#!/bin/sh\nexec ${at.canary} ${hook}\n`);
      chmodSync(join(at.repo, ".git/hooks", hook), 0o755);
    }
    const before = readFileSync(join(at.repo, ".git/config"), "utf8");
    const tree = await at.open();
    writeFileSync(join(tree.root, "a.txt"), "other\n");
    expect((await closeWorktree(tree, at.place)).kind).toBe("kept");
    const clean = await at.open();
    expect((await closeWorktree(clean, at.place)).kind).toBe("removed");
    expect(at.ran()).toBe(false);
    expect(readFileSync(join(at.repo, ".git/config"), "utf8")).toBe(before);
  },
);

// What a command in the session's own sandbox can make in `.git`, by a script that it has written before.
gitTest(
  "[ENG-28 S27 S34] no configuration that a commondir or a link in .git leads to is read, and nothing that it names is run",
  async () => {
    for (const way of ["commondir", "link"]) {
      await using at = await rig();
      at.write(".gitattributes", "* filter=evil\n");
      at.git("add", "-A");
      at.git("commit", "-q", "-m", "attributes");
      const evil = join(at.repo, "evil");
      cpSync(join(at.repo, ".git"), evil, { recursive: true });
      mkdirSync(join(evil, "worktrees"));
      const filter = `[filter "evil"]\n\tsmudge = ${at.canary}\n\tclean = ${at.canary}\n`;
      writeFileSync(join(evil, "config"), `[core]\n\trepositoryformatversion = 0\n${filter}`);
      if (way === "commondir") {
        writeFileSync(join(at.repo, ".git/commondir"), "../evil\n");
        const tree = await at.open();
        writeFileSync(join(tree.root, "a.txt"), "other\n");
        writeFileSync(join(tree.gitDirectory, "commondir"), `${evil}\n`);
        expect(await closeWorktree(tree, at.place)).toMatchObject({ kind: "kept", changed: ["a.txt"] });
        await expect(removeWorktree(tree.record, at.place, signal)).rejects.toThrow("holds changes");
      } else {
        symlinkSync("../evil/worktrees", join(at.repo, ".git/worktrees"));
        await expect(at.open()).rejects.toThrow(".git/worktrees is a link, which git does not make");
      }
      expect([way, at.ran(), readdirSync(join(evil, "worktrees"))]).toEqual([way, false, []]);
    }
  },
);

gitTest(
  "[ENG-28 S34] a .git that was written into the worktree, or a repository inside of it, decides nothing",
  async () => {
    await using at = await rig();
    const tree = await at.open();
    const other = join(at.root, "other");
    Bun.spawnSync(["git", "init", "-q", other], { env: ENV });
    Bun.spawnSync(["git", "-C", other, "config", "core.fsmonitor", at.canary], { env: ENV });
    writeFileSync(join(tree.root, ".git"), `gitdir: ${other}/.git\n`);
    const inner = join(tree.root, "inner");
    Bun.spawnSync(["git", "init", "-q", inner], { env: ENV });
    Bun.spawnSync(["git", "-C", inner, "config", "core.fsmonitor", at.canary], { env: ENV });
    const end = await closeWorktree(tree, at.place);
    expect(end).toMatchObject({ kind: "kept", commits: 0 });
    expect(at.ran()).toBe(false);
  },
);

gitTest("[ENG-28 S34] a .git file that came with a folder opens no other repository", async () => {
  await using at = await rig();
  const bait = join(at.root, "bait");
  mkdirSync(bait);
  writeFileSync(join(bait, ".git"), `gitdir: ${at.repo}/.git\n`);
  await expect(at.open(bait)).rejects.toMatchObject({ reason: "WorktreeFailed" });
  expect(at.git("branch", "--list")).toBe("* trunk\n");
  expect(await at.place.records.list()).toEqual([]);
});

gitTest("[ENG-28] a worktree of a worktree is one more of the same repository", async () => {
  await using at = await rig();
  const first = await at.open();
  const second = await at.open(first.root);
  expect(second.record.repository).toBe(first.root);
  expect(await closeWorktree(second, at.place)).toEqual({ kind: "removed" });
  expect(await closeWorktree(first, at.place)).toEqual({ kind: "removed" });
});

gitTest("[ENG-28] where it cannot be made, nothing of it stays", async () => {
  await using at = await rig();
  writeFileSync(join(at.root, "worktrees"), "in the way");
  await expect(at.open()).rejects.toThrow();
  expect(at.git("branch", "--list")).toBe("* trunk\n");
  expect(await at.place.records.list()).toEqual([]);
});

gitTest(
  "[ENG-28 S33] git is never taken out of the repository, nor out of a folder that PATH names by where it stands",
  async () => {
    await using at = await rig();
    at.write("bin/git", "#!/bin/sh\nexit 0\n");
    chmodSync(join(at.repo, "bin/git"), 0o755);
    for (const path of [`${at.repo}/bin`, "bin:.", ""])
      await expect(openGit(world, { path, writable: [at.repo] })).rejects.toThrow(NO_GIT);
  },
);

gitTest(
  "[ENG-28] what is left of a killed process is found by its record, and removed where nothing was changed",
  async () => {
    await using at = await rig();
    const tree = await at.open();
    const changed = await at.open();
    writeFileSync(join(changed.root, "a.txt"), "other\n");
    await at.place.records.write({ ...tree.record, pid: 1, processStart: "long ago" });
    expect((await at.place.records.list()).map(({ id }) => id).sort()).toEqual(
      [tree.record.id, changed.record.id].sort(),
    );
    await removeWorktree(tree.record, at.place, signal);
    await expect(removeWorktree(changed.record, at.place, signal)).rejects.toThrow(
      `git -C ${at.repo} worktree remove --force ${changed.record.path} && git -C ${at.repo} branch -D ${changed.record.branch}`,
    );
    // As it was told, by hand; then its record goes with the next try.
    at.git("worktree", "remove", "--force", changed.record.path);
    await removeWorktree(changed.record, at.place, signal);
    expect(await at.place.records.list()).toEqual([]);
    expect(at.git("branch", "--list")).toBe("* trunk\n");
    expect(readdirSync(join(at.root, "worktrees"))).toEqual([]);
  },
);

gitTest(
  "[ENG-28] one whose commits another branch has is removed with its branch; one with any other commit or file stays",
  async () => {
    await using at = await rig();
    const commit = (path: string, name: string) => {
      writeFileSync(join(path, name), "new");
      for (const args of [
        ["add", "-A"],
        ["commit", "-q", "-m", name],
      ])
        Bun.spawnSync(["git", "-C", path, ...args], { env: ENV });
    };
    const kept = async () => {
      const tree = await at.open();
      commit(tree.root, `${tree.record.id}.txt`);
      await closeWorktree(tree, at.place);
      return tree;
    };
    const remove = ({ record }: Awaited<ReturnType<typeof kept>>) => removeWorktree(record, at.place, signal);
    const [merged, elsewhere, gone, more] = [await kept(), await kept(), await kept(), await kept()];
    await expect(remove(merged)).rejects.toThrow(
      "holds changes: 1 commit that no other branch has. To throw",
    );
    at.git("merge", "-q", "--no-edit", merged.record.branch);
    await remove(merged);
    at.git("branch", "taken", elsewhere.record.branch);
    await remove(elsewhere);
    expect([existsSync(merged.root), existsSync(elsewhere.root)]).toEqual([false, false]);
    // Its branch alone is left, and merged later.
    at.git("worktree", "remove", gone.record.path);
    await expect(remove(gone)).rejects.toThrow(`the branch ${gone.record.branch} holds changes: 1 commit`);
    at.git("merge", "-q", "--no-edit", gone.record.branch);
    await remove(gone);
    // A file, and a commit that came after the merge.
    at.git("merge", "-q", "--no-edit", more.record.branch);
    writeFileSync(join(more.root, "a.txt"), "other\n");
    await expect(remove(more)).rejects.toThrow("holds changes: 1 file not committed. To throw");
    commit(more.root, "later.txt");
    await expect(remove(more)).rejects.toThrow("holds changes: 1 commit that no other branch has. To throw");
    expect(at.git("branch", "--list").trim().split("\n")).toHaveLength(3);
    expect((await at.place.records.list()).map(({ id }) => id)).toEqual([more.record.id]);
  },
);

gitTest("[ENG-28 ENG-09] a cancel while it is made leaves nothing", async () => {
  await using at = await rig();
  const stop = new AbortController();
  stop.abort(new Error("enough"));
  const wanted = { callId: call(), agent: "maker", workspace: at.repo };
  await expect(openWorktree(wanted, at.place, stop.signal)).rejects.toThrow("enough");
  const late = new AbortController();
  const opening = openWorktree({ ...wanted, callId: call() }, at.place, late.signal);
  const settled = opening.then(
    () => "made",
    () => "cancelled",
  );
  await until("its record", () => existsSync(join(at.root, "records")));
  late.abort(new Error("enough"));
  if ((await settled) === "made") await closeWorktree(await opening, at.place);
  expect(await at.place.records.list()).toEqual([]);
  expect(at.git("branch", "--list")).toBe("* trunk\n");
});
