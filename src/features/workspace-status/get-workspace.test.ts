import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { shell } from "../../../test/support/checkpoint-rig.ts";
import { says } from "../../../test/support/mock-provider/turn.ts";
import type { TestProject } from "../../../test/support/place.ts";
import { connect, openPlace, turn } from "../../../test/support/place.ts";
import { requireProgram } from "../../../test/support/requires.ts";
import { until } from "../../../test/support/until.ts";
import type { OpenHarness } from "../../app/harness.ts";
import { SILENT_LOG } from "../../base/log.ts";
import { NO_GIT } from "../../guard/sandbox/policy/trusted-program.ts";
import { hostWorld } from "../../platform/host.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import { parseStatus } from "./parse-status.ts";

const gitTest = requireProgram("git");

async function workspace(harness: OpenHarness): Promise<ResultOf<"GetWorkspace">> {
  const connection = await connect(harness);
  return await connection.query({ kind: "GetWorkspace", sessionId: harness.session });
}

/** A repository with a commit on the branch `trunk`. */
function repository(place: TestProject): void {
  place.write("a.txt", "a\n");
  place.write("b.txt", "b\n");
  shell(place.repo, "git init -q -b trunk . && git add -A && git commit -qm first");
}

gitTest("[CTL-19] branch, commits to and from the upstream, and changed files are counted", async () => {
  await using place = openPlace();
  repository(place);
  await using harness = await place.open();
  const head = shell(place.repo, "git rev-parse HEAD").trim();
  const clean = { root: place.repo, branch: "trunk", head, staged: 0, changed: 0, untracked: 0 };
  expect(await workspace(harness)).toEqual({ working_dir: place.repo, git: clean });
  shell(place.repo, "git clone -q . ../other && cd ../other && git commit -qm theirs --allow-empty");
  shell(place.repo, "git remote add up ../other && git fetch -q up && git branch -q -u up/trunk");
  shell(place.repo, "git commit -qm mine --allow-empty && git commit -qm mine --allow-empty");
  shell(
    place.repo,
    "printf x >>a.txt; printf n >n.txt; git add n.txt; printf y >>n.txt; mkdir new; touch new/1 new/2 'ü'",
  );
  const { git } = await workspace(harness);
  expect(git).toEqual({
    ...clean,
    head: shell(place.repo, "git rev-parse HEAD").trim(),
    ...{ upstream: "up/trunk", ahead: 2, behind: 1, staged: 1, changed: 2, untracked: 2 },
  });
  shell(place.repo, "git checkout -q --detach");
  expect((await workspace(harness)).git?.branch).toBeUndefined();
});

gitTest(
  "[CTL-19] no repository, an empty one, a damaged one, and no git program each have their answer",
  async () => {
    await using place = openPlace(says("hi"));
    await using harness = await place.open();
    expect(await workspace(harness)).toEqual({ working_dir: place.repo });
    shell(place.repo, "git init -q -b trunk .");
    const none = { staged: 0, changed: 0, untracked: 0 };
    expect((await workspace(harness)).git).toEqual({ root: place.repo, branch: "trunk", ...none });
    writeFileSync(join(place.repo, ".git/index"), "no index");
    expect((await workspace(harness)).git).toEqual({
      root: place.repo,
      problem: expect.stringMatching(/^git status: .*(?:index|signature)/),
    });
    await turn(harness, "hello");
    await using without = await place.open({
      wishes: { environment: { PATH: place.repo, HOME: place.root } },
    });
    writeFileSync(join(place.repo, "git"), `#!/bin/sh\ntouch ${place.root}/ran\n`);
    chmodSync(join(place.repo, "git"), 0o755);
    expect((await workspace(without)).git).toEqual({ root: place.repo, problem: NO_GIT });
    const stored = { kind: "GetWorkspace", sessionId: harness.session } as const;
    expect((await (await connect(without)).query(stored)).git?.root).toBe(place.repo);
    expect(existsSync(join(place.root, "ran"))).toBe(false);
  },
);

gitTest(
  "[CTL-19] worktrees and submodules have a status of their own, and a borrowed .git file has none",
  async () => {
    await using place = openPlace();
    const main = join(place.root, "main");
    mkdirSync(main);
    writeFileSync(join(main, "f"), "f\n");
    shell(
      main,
      "git init -q -b trunk . && git add -A && git commit -qm first && git worktree add -q -b side ../tree",
    );
    shell(
      place.repo,
      "git init -q -b trunk . && git -c protocol.file.allow=always submodule --quiet add ../main sub",
    );
    shell(place.repo, "git commit -qm first && printf dirty >>sub/f");
    const statusIn = async (workingDir: string) => {
      await using harness = await place.open({ workingDir });
      return (await workspace(harness)).git;
    };
    expect(await statusIn(join(place.root, "tree"))).toMatchObject({ branch: "side", changed: 0 });
    expect(await statusIn(join(place.repo, "sub"))).toMatchObject({ branch: "trunk", changed: 1 });
    expect(await statusIn(place.repo)).toMatchObject({ branch: "trunk", changed: 0, untracked: 0 });
    const borrowing = join(place.root, "borrowing");
    mkdirSync(borrowing);
    writeFileSync(join(borrowing, ".git"), `gitdir: ${main}/.git\n`);
    const problem = "its .git leads to a repository that is not its own";
    expect(await statusIn(borrowing)).toEqual({ root: borrowing, problem });
    rmSync(join(borrowing, ".git"));
    symlinkSync(join(main, ".git"), join(borrowing, ".git"));
    expect(await statusIn(borrowing)).toEqual({ root: borrowing, problem });
  },
);

gitTest("[CTL-19 S34] nothing that a repository names is run for its status", async () => {
  await using place = openPlace();
  repository(place);
  // A submodule has its own settings, and git status would look into it.
  shell(place.repo, "git clone -q . sub && git add sub && git commit -qm second");
  shell(
    place.repo,
    "printf '* filter=inner' >sub/.git/info/attributes; git -C sub config filter.inner.clean ../bait.sh",
  );
  const ran = join(place.root, "ran");
  const bait = join(place.repo, "bait.sh");
  writeFileSync(bait, `#!/bin/sh\necho "$0 $*" >>${ran}\ncat\n`);
  chmodSync(bait, 0o755);
  const set = (key: string, value: string) => shell(place.repo, `git config '${key}' '${value}'`);
  shell(place.repo, "printf '* filter=evil diff=evil ident\\n' >.gitattributes; mkdir -p hooks");
  for (const hook of [
    "post-index-change",
    "fsmonitor-watchman",
    "pre-commit",
    "reference-transaction",
    "post-checkout",
  ])
    for (const folder of ["hooks", ".git/hooks"]) shell(place.repo, `cp bait.sh ${folder}/${hook}`);
  for (const key of ["clean", "smudge", "process"]) set(`filter.evil.${key}`, bait);
  set("filter.evil.required", "true");
  for (const key of [
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.gitProxy",
  ])
    set(key, bait);
  set("core.alternateRefsCommand", bait);
  set("core.hooksPath", join(place.repo, "hooks"));
  for (const key of [
    "diff.external",
    "diff.evil.textconv",
    "diff.evil.command",
    "gpg.program",
    "credential.helper",
  ])
    set(key, bait);
  set("alias.status", `!${bait}`);
  set("status.submoduleSummary", "true");
  set("pager.status", bait);
  set("trace2.eventTarget", ran);
  set("extensions.partialClone", "origin");
  set("remote.origin.url", `ext::${bait}`);
  set("remote.origin.promisor", "true");
  set("protocol.ext.allow", "always");
  shell(place.repo, "touch -d '+1 hour' a.txt; printf more >>b.txt; touch -d '+1 hour' sub/a.txt");
  // The settings are bait: git itself would run some of it.
  const plain = shell(
    place.repo,
    "git status --porcelain >/dev/null 2>&1; cat ../ran 2>/dev/null; rm -f ../ran",
  );
  expect(plain).toContain("bait.sh");
  await using harness = await place.open();
  const { git } = await workspace(harness);
  expect(git).toMatchObject({ branch: "trunk" });
  expect(existsSync(ran)).toBe(false);
});

gitTest(
  "[CTL-19] a pipe among git's own files does not hold up a query for ever",
  async () => {
    await using place = openPlace();
    repository(place);
    shell(place.repo, "rm .git/HEAD && mkfifo .git/HEAD");
    await using harness = await place.open();
    expect((await workspace(harness)).git).toMatchObject({ root: place.repo, problem: expect.any(String) });
  },
  60_000,
);

gitTest("[CTL-19 S33] no git is run from a folder that a session of the engine may write", async () => {
  await using place = openPlace();
  repository(place);
  const ran = join(place.root, "ran");
  const bait = (file: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho "$0" >>${ran}\n`);
    chmodSync(file, 0o755);
  };
  const tools = join(place.root, "tools");
  const [linked, hop] = [join(place.root, "linked"), join(place.root, "hop")];
  bait(join(tools, "bin/git"));
  bait(join(tools, "bin/sh"));
  mkdirSync(linked);
  mkdirSync(hop);
  symlinkSync(join(tools, "bin/git"), join(linked, "git"));
  // The link leads to the system's git now. The folder's writers decide where it leads next.
  symlinkSync("/usr/bin/git", join(tools, "bin/next"));
  symlinkSync(join(tools, "bin/next"), join(hop, "git"));
  const other = join(place.root, "other");
  bait(join(other, "git"));
  const worktree = join(place.root, "data-worktrees/agent/bin");
  bait(join(worktree, "git"));
  const listed = join(place.root, "listed");
  bait(join(listed, "git"));
  place.config(
    `[providers.mock]\nkind = "anthropic"\nbase_url = "${place.mock.url}/v1"\n[sandbox]\nwritable = ["${listed}"]\n`,
  );
  const spilled = join(place.root, "data/scratch/log/bin");
  bait(join(spilled, "git"));
  const open = [join(tools, "bin"), linked, hop, other, worktree, listed, spilled];
  const environment = { PATH: [...open, "/usr/bin", "/bin"].join(":"), HOME: place.root };
  await using harness = await place.open({ wishes: { environment, addDirs: [tools] } });
  const client = await connect(harness);
  await client.send({ kind: "CreateSession", workingDir: other });
  expect((await workspace(harness)).git).toMatchObject({ branch: "trunk" });
  expect(existsSync(ran)).toBe(false);
  const none = { environment: { PATH: open.join(":"), HOME: place.root }, addDirs: [tools] };
  await using without = await place.open({ wishes: none });
  await (await connect(without)).send({ kind: "CreateSession", workingDir: other });
  expect((await workspace(without)).git).toEqual({ root: place.repo, problem: NO_GIT });
  expect(existsSync(ran)).toBe(false);
});

gitTest("[CTL-19 S33] a disk that ignores case leads to no git that an agent may write", async () => {
  await using place = openPlace();
  repository(place);
  const ran = join(place.root, "ran");
  mkdirSync(join(place.root, "tools"));
  writeFileSync(join(place.root, "tools/git"), `#!/bin/sh\necho ran >>${ran}\n`);
  chmodSync(join(place.root, "tools/git"), 0o755);
  const world = hostWorld(SILENT_LOG);
  const folded = (path: string) => path.replaceAll("/TOOLS", "/tools");
  const { files } = world;
  const ignoringCase: typeof files = {
    ...files,
    stat: (path) => files.stat(folded(path)),
    lstat: (path) => files.lstat(folded(path)),
    readlink: (path) => files.readlink(folded(path)),
    realpath: (path) => files.realpath(folded(path)),
  };
  const spawn: typeof world.spawn = (options) => {
    const [program, ...args] = options.argv;
    return world.spawn({ ...options, argv: [folded(program), ...args] });
  };
  const environment = { PATH: `${place.root}/TOOLS:/usr/bin:/bin`, HOME: place.root };
  const wishes = { environment, addDirs: [join(place.root, "tools")] };
  await using harness = await place.open({ world: { ...world, files: ignoringCase, spawn }, wishes });
  expect((await workspace(harness)).git).toMatchObject({ branch: "trunk" });
  expect(existsSync(ran)).toBe(false);
});

gitTest(
  "[CTL-19] clients that ask at the same time share one git, which the last that leaves ends",
  async () => {
    await using place = openPlace();
    repository(place);
    const world = hostWorld(SILENT_LOG);
    const started: { readonly release: () => void; readonly ended: Promise<void> }[] = [];
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const spawn: typeof world.spawn = (options) => {
      const child = world.spawn(options);
      if (!options.argv.includes("--untracked-files=normal")) return child;
      const [held, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      begun[started.length]?.resolve();
      started.push({ release: held.resolve, ended: ended.promise });
      return {
        ...child,
        exited: held.promise.then(() => child.exited),
        async [Symbol.asyncDispose]() {
          ended.resolve();
          await child[Symbol.asyncDispose]();
        },
      };
    };
    await using harness = await place.open({ world: { ...world, spawn } });
    const port = await harness.port([]);
    const askFour = () => {
      const clients = Array.from({ length: 4 }, () => new AbortController());
      const query = { kind: "GetWorkspace", sessionId: harness.session } as const;
      const answers = clients.map(({ signal }) => port.query(query, { identityClass: "human", signal }));
      return { clients, answers: Promise.allSettled(answers) };
    };
    const one = askFour();
    await begun[0]?.promise;
    one.clients[0]?.abort(new Error("left"));
    started[0]?.release();
    const settled = await one.answers;
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
    expect(started).toHaveLength(1);
    const all = askFour();
    await begun[1]?.promise;
    for (const client of all.clients) client.abort(new Error("left"));
    await started[1]?.ended; // nothing released it
    expect((await all.answers).map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    expect(started).toHaveLength(2);
    expect((await workspaceAfter(harness, started)).git).toMatchObject({ branch: "trunk" });
  },
);

/** Asks once more, and lets git answer at once. */
async function workspaceAfter(harness: OpenHarness, started: readonly { readonly release: () => void }[]) {
  const answer = workspace(harness);
  await until("git is asked a third time", () => started.length === 3);
  started[2]?.release();
  return await answer;
}

test("[CTL-19] unknown lines of a status are skipped", () => {
  const lines = [
    "# stash 3",
    "# branch.oid (initial)",
    "# branch.head (detached)",
    "1 .M N... x",
    "! ignored",
    "9 ?",
    "",
  ];
  expect(parseStatus(lines.join("\0"))).toEqual({ staged: 0, changed: 1, untracked: 0 });
});
