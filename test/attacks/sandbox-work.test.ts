import { describe, expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireSandbox } from "../support/sandbox-place.ts";
import type { SandboxRig } from "../support/sandbox-rig.ts";
import { openSandboxRig } from "../support/sandbox-rig.ts";
import { until } from "../support/until.ts";

const test = requireSandbox();

const ENV = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
};

/** On the host, as a person would. */
function git(cwd: string, ...words: readonly string[]): string {
  const run = Bun.spawnSync(["git", ...words], {
    cwd,
    env: { ...ENV, PATH: "/usr/bin:/bin:/usr/local/bin" },
  });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
  return run.stdout.toString().trim();
}

function repository(path: string): void {
  mkdirSync(path, { recursive: true });
  git(path, "init", "-q", "-b", "main");
  writeFileSync(join(path, "a"), "a\n");
  git(path, "add", "a");
  git(path, "commit", "-q", "-m", "first");
}

const rigged = (folder?: string): SandboxRig =>
  openSandboxRig({ env: ENV, ...(folder === undefined ? {} : { folder }) });

describe("[SBX-04] the usual work with git continues in the sandbox", () => {
  test("in a repository: commits, branches, stashes", async () => {
    await using rig = rigged();
    repository(rig.root);
    const said = await rig.bash(
      "echo b >>a && git commit -qam second && git checkout -qb other && echo c >>a && git stash -q && git stash pop -q && git status --short",
    );
    expect(said).toBe(" M a");
    expect(git(rig.root, "log", "--format=%s")).toBe("second\nfirst");
    expect(git(rig.root, "branch", "--show-current")).toBe("other");
  });

  test("[S26] in a worktree, whose hooks and configuration lie in another repository", async () => {
    await using rig = rigged();
    const main = join(rig.outside, "main");
    repository(main);
    git(main, "worktree", "add", "-q", join(rig.root, "tree"));
    await using inside = rigged(join(rig.root, "tree"));
    expect(await inside.bash("echo b >>a && git commit -qam second && git log --format=%s")).toBe(
      "second\nfirst",
    );
    const config = readFileSync(join(main, ".git", "config"), "utf8");
    await inside.bash(
      `echo evil >${main}/.git/hooks/post-checkout; git config core.fsmonitor /tmp/evil; echo evil >${main}/a`,
    );
    await inside.bash(`echo ${rig.root} >${main}/.git/worktrees/tree/commondir; echo evil >.git; rm -f .git`);
    expect(existsSync(join(main, ".git", "hooks", "post-checkout"))).toBe(false);
    expect(readFileSync(join(main, ".git", "config"), "utf8")).toBe(config);
    expect(readFileSync(join(main, "a"), "utf8")).toBe("a\n");
    expect(git(join(rig.root, "tree"), "log", "--format=%s")).toBe("second\nfirst");
  });

  test("[S26 ENG-09] what would lead git elsewhere goes when a command is cancelled, and when the session ends", async () => {
    await using rig = rigged();
    repository(rig.root);
    const planted = join(rig.root, ".git", "commondir");
    const running = rig.bash("echo ../evil >.git/commondir; touch began; sleep 60").catch(() => "cancelled");
    await until("the command", () => existsSync(join(rig.root, "began")));
    rig.cancel.abort(new Error("enough"));
    expect(await running).toBe("cancelled");
    expect(existsSync(planted)).toBe(false);

    await using later = rigged(rig.root);
    await later.bash("sleep 0.1; echo ../evil >.git/commondir; touch again; sleep 60", { background: true });
    await until("the background run", () => existsSync(join(rig.root, "again")));
    await later.end();
    expect(existsSync(planted)).toBe(false);
  });

  test("[S26] nothing is made in it for the sandbox, while a command runs or after", async () => {
    await using rig = rigged();
    repository(rig.root);
    const before = readdirSync(join(rig.root, ".git")).sort();
    await rig.bash("ls -A .git >seen; touch began; sleep 60", { background: true });
    await until("the background run", () => existsSync(join(rig.root, "began")));
    expect(readdirSync(join(rig.root, ".git")).sort()).toEqual(before);
    expect(readFileSync(join(rig.root, "seen"), "utf8").trim().split("\n").sort()).toEqual(before);
  });

  test("[S27] a .git file that leads to a repository which does not know of it opens nothing", async () => {
    await using rig = rigged();
    const victim = join(rig.outside, "victim");
    repository(victim);
    writeFileSync(join(rig.root, ".git"), `gitdir: ${victim}/.git\n`);
    await rig.bash(`echo x >${victim}/.git/HEAD; git commit -q --allow-empty -m evil`);
    expect(git(victim, "log", "--format=%s", "main")).toBe("first");
  });

  test("in a folder of a repository", async () => {
    await using rig = rigged();
    repository(rig.outside);
    mkdirSync(join(rig.outside, "sub"));
    await using inside = rigged(join(rig.outside, "sub"));
    expect(
      await inside.bash("echo n >new && git add new && git commit -qm second && git log --format=%s"),
    ).toBe("second\nfirst");
    expect(await inside.bash(`echo evil >>../a`)).toContain("Read-only file system");
  });

  test("[S26] what came into the repository after the session began is protected too", async () => {
    await using rig = rigged();
    expect(await rig.bash("echo ready")).toBe("ready");
    repository(rig.root);
    await rig.bash(
      "echo evil >.git/hooks/pre-commit; echo '[core] fsmonitor = x' >>.git/config; echo b >b; git add b; git commit -qm second",
    );
    expect(existsSync(join(rig.root, ".git", "hooks", "pre-commit"))).toBe(false);
    expect(readFileSync(join(rig.root, ".git", "config"), "utf8")).not.toContain("fsmonitor");
    expect(git(rig.root, "log", "--format=%s")).toBe("second\nfirst");
  });
});
