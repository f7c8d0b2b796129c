import { describe, expect } from "bun:test";
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SILENT_LOG } from "../../src/base/log.ts";
import {
  gitRepositoryFinder,
  gitRunner,
} from "../../src/guard/permissions/inspection/find-git-repository.ts";
import { repositoryProblem } from "../../src/guard/permissions/inspection/repository-problem.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { requireSandbox } from "../support/sandbox-place.ts";
import { openSandboxRig } from "../support/sandbox-rig.ts";

const test = requireSandbox();

const DEEP = "a/b/c/d/e/repo";
const HIDDEN = ".trees/one/repo";
const said = "is a new repository";
const gone = "Removed, since git outside of the sandbox runs or obeys it";
const then = "What of that is needed, a person sets outside]";

function repository(path: string, settings = ""): void {
  const run = Bun.spawnSync(["git", "init", "-q", path], {
    env: { PATH: "/usr/bin:/bin", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
  writeFileSync(join(path, ".git", "config"), settings, { flag: "a" });
}

/**
 * Fails, each in a copy: with a search of only two levels of folders; without the look after a command; without
 * bare ones; with the folder of hooks, and what is included, resolved as before; with new ones left open.
 * What the look removes: `sandbox-git-directories.test.ts`.
 */
describe("[SBX-01 S26] of a repository below the workspace", () => {
  test("hooks and configuration are closed, however deep it lies", async () => {
    await using rig = openSandboxRig();
    for (const path of [DEEP, HIDDEN]) repository(join(rig.root, path));
    for (const path of [DEEP, HIDDEN]) {
      const git = join(rig.root, path, ".git");
      const before = readFileSync(join(git, "config"), "utf8");
      await rig.bash(
        `echo x >${git}/hooks/pre-commit; git -C ${path} config core.fsmonitor /tmp/x; mv a x; true`,
      );
      await rig.bash(`mkdir -p o/hooks; mv ${git} ${git}-old; mv o ${git}; true`);
      expect([path, existsSync(join(git, "hooks/pre-commit")), existsSync(`${git}-old`)]).toEqual([
        path,
        false,
        false,
      ]);
      expect(readFileSync(join(git, "config"), "utf8")).toBe(before);
    }
  });

  test("that a command makes, the person gets by name what git would run, and from then on it is closed", async () => {
    await using rig = openSandboxRig();
    const make = `git init -q ${DEEP} && echo x >${DEEP}/.git/hooks/post-checkout && git -C ${DEEP} config core.fsmonitor ./x`;
    const told = await rig.bash(`${make} && git -C ${DEEP} config core.hooksPath hooks`);
    expect(told).toBe(
      `(no output)\n[${DEEP} ${said}. ${gone}: core.fsmonitor, core.hookspath, hooks/post-checkout. ${then}`,
    );
    expect(await rig.bash(`echo x >>${DEEP}/.git/hooks/post-checkout`)).toContain("Read-only file system");
    expect(await rig.bash(`rm -rf a`)).toContain("outside_sandbox: true");
    expect(existsSync(join(rig.root, DEEP, ".git/config"))).toBe(true);
  });

  test("among packages too, in those of a scope, of pnpm and of another package", async () => {
    await using rig = openSandboxRig();
    const packages = [
      "p",
      "@scope/p",
      ".pnpm/p@1.0.0/node_modules/p",
      "q/node_modules/p",
      "q/lib/deep/p",
    ].map((each) => `node_modules/${each}`);
    await rig.bash(`mkdir -p ${packages.join(" ")}`);
    for (const path of packages) {
      const told = await rig.bash(`git init -q ${path} && git -C ${path} config core.fsmonitor ./x`);
      expect(told).toBe(`(no output)\n[${path} ${said}. ${gone}: core.fsmonitor. ${then}`);
      expect(readFileSync(join(rig.root, path, ".git/config"), "utf8")).not.toContain("fsmonitor");
    }
  });

  test("a bare one, and a .git that leads elsewhere, is reported too, and each change to files that cannot be closed", async () => {
    await using rig = openSandboxRig();
    expect(
      await rig.bash("git init -q --bare x/y/bare && git -C x/y/bare config core.fsmonitor ./evil"),
    ).toBe(`(no output)\n[x/y/bare ${said}. ${gone}: core.fsmonitor. ${then}`);
    expect(
      await rig.bash("echo x >x/y/bare/hooks/update; mkdir led && echo 'gitdir: ../x/y/bare' >led/.git"),
    ).toBe(
      `(no output)\n[led ${said}. ${gone}: hooks/update. ${then}\n[The repository x/y/bare was changed. ${gone}: hooks/update. ${then}`,
    );
    // The workspace itself, made to look like the inside of one.
    expect(
      await rig.bash("mkdir objects refs hooks; echo 'ref: refs/heads/main' >HEAD; echo x >hooks/pre-push"),
    ).toBe(`(no output)\n[. ${said}. ${gone}: hooks/pre-push. ${then}`);
  });

  test("what its configuration names is closed, also where it is not there yet, and beside the configuration", async () => {
    await using rig = openSandboxRig();
    repository(rig.root, "[core]\n\thooksPath = .husky/_\n[include]\n\tpath = ../shared.config\n");
    writeFileSync(join(rig.root, "shared.config"), "");
    await rig.bash(
      "mkdir -p .husky/_ && echo x >.husky/_/pre-commit; echo '[core] fsmonitor = x' >shared.config; true",
    );
    await rig.bash("rm -f shared.config; true");
    expect(existsSync(join(rig.root, ".husky/_/pre-commit"))).toBe(false);
    expect(readFileSync(join(rig.root, "shared.config"), "utf8")).toBe("");
  });

  // Seen red without the look: git outside wrote the message of a commit into the file, in the place of what was there.
  test("[S22] links that a command puts among git's own files are removed and reported, and git outside writes nowhere else", async () => {
    await using rig = openSandboxRig();
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    const git = (...words: string[]) => {
      const as = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
      const { exitCode, stderr } = Bun.spawnSync(["git", "-C", rig.root, ...as, ...words], { env });
      expect([words, exitCode, stderr.toString()]).toEqual([words, 0, expect.any(String)]);
    };
    const theirs = join(rig.root, "../theirs");
    writeFileSync(theirs, "mine\n");
    repository(rig.root);
    git("commit", "-q", "--allow-empty", "-m", "first");
    symlinkSync("refs/heads/master", join(rig.root, ".git/own")); // was there before
    await rig.bash("true");
    const planted = ["COMMIT_EDITMSG", "MERGE_MSG", "logs/HEAD", "logs/refs/heads/deep", "worktrees"];
    const links = planted.map((name) => `rm -rf .git/${name}; ln -s ${theirs} .git/${name}`).join("; ");
    const filler = "mkdir -p .git/logs/refs/heads $(seq -f '.git/a%g' 2000)";
    const told = await rig.bash(`${filler}; ${links}; touch .git/fine; true`);
    for (const name of planted)
      expect(told).toContain(`[${join(rig.root, ".git", name)} was removed: git makes no link there`);
    expect(existsSync(join(rig.root, ".git/fine"))).toBe(true);
    expect(lstatSync(join(rig.root, ".git/own")).isSymbolicLink()).toBe(true);
    git("commit", "-q", "--allow-empty", "-m", "second");
    git("checkout", "-q", "-b", "other");
    expect(readFileSync(theirs, "utf8")).toBe("mine\n");
    expect(await rig.bash("true")).toBe("(no output)");
    const many = "mkdir -p $(seq -f '.git/refs/heads/a%g' 2000)";
    expect(await rig.bash(`${many}`)).toContain("holds more folders than were searched for links");
  });

  test("that became one outside of the sandbox is closed for the next command", async () => {
    await using rig = openSandboxRig();
    await rig.bash("true");
    expect(await rig.bash("git init -q out/side", { outside_sandbox: true })).toBe("(no output)");
    expect(await rig.bash("echo x >out/side/.git/hooks/pre-commit")).toContain("Read-only file system");
  });
});

// Seen red with `core.hooksPath` left out of what git reads through.
test("[PERM-02 S26 S34] a repository that names something to run is none in which git counts as a read", async () => {
  await using rig = openSandboxRig();
  const make = (script: string) => Bun.spawnSync(["bash", "-c", script], { cwd: rig.root });
  const plants: Readonly<Record<string, string>> = {
    setting: "git init -q p/setting && git -C p/setting config core.fsmonitor ./x",
    include: "git init -q p/include && git -C p/include config include.path ../x",
    hook: "git init -q p/hook && echo x >p/hook/.git/hooks/post-index-change",
    elsewhere:
      "git init -q p/elsewhere && git -C p/elsewhere config core.hooksPath my && mkdir p/elsewhere/my && echo x >p/elsewhere/my/post-index-change",
    quoted:
      "git init -q p/quoted && printf '[core]\\n\\thooksPath = \"m\\\\\\\\y\"\\n' >>p/quoted/.git/config",
    twice:
      "git init -q p/twice && printf '[core] hooksPath = other\\nhooksPath = my\\n' >>p/twice/.git/config && mkdir p/twice/my && echo x >p/twice/my/post-index-change",
    home: "git init -q p/home && git -C p/home config core.hooksPath '~/x'",
    bare: "git init -q --bare p/bare",
    // Git reads the second line as a setting, since the backslash before it is the end of the value.
    behind:
      "git init -q p/behind && printf '[user]\\n\\tname = x\\\\\\\\\\n[core] fsmonitor = x\\n' >>p/behind/.git/config",
    link: "git init -q --bare q/evil && git -C q/evil config core.fsmonitor x && mkdir p/link && echo 'gitdir: ../../q/evil' >p/link/.git",
    common:
      "git init -q p/common && mkdir -p p/x/objects p/x/refs && echo '[core] fsmonitor = x' >p/x/config && echo ../../x >p/common/.git/commondir",
  };
  const place = { root: rig.root, scratch: join(rig.root, "no-scratch") };
  const env = { PATH: process.env["PATH"] ?? "", HOME: rig.root };
  const git = gitRepositoryFinder(gitRunner(hostWorld(SILENT_LOG), env, place));
  const asking = { files: rig.world.files, git };
  for (const [name, script] of Object.entries(plants)) {
    make(`mkdir -p p; ${script}`);
    const problem = await repositoryProblem(join(rig.root, "p", name), true, asking);
    expect([name, problem]).toEqual([name, expect.any(String)]);
  }
  make("git init -q p/plain && git -C p/plain config core.hooksPath .husky/_");
  expect(await repositoryProblem(join(rig.root, "p", "plain"), true, asking)).toBeUndefined();
}, 300_000);
