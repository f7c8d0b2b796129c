import { describe, expect } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { requireSandbox, sandboxParent } from "../support/sandbox-place.ts";
import type { SandboxRig } from "../support/sandbox-rig.ts";
import { openSandboxRig } from "../support/sandbox-rig.ts";
import { until } from "../support/until.ts";

const test = requireSandbox();

const EVIL = "'touch $MARK; false'";
const HOOK = (path: string) => `printf '#!/bin/sh\\ntouch $MARK\\n' >${path} && chmod +x ${path}`;

const SUBMODULE = (path: string, more = "") =>
  `git init -q && git init -q ${path} && git -C ${path} config core.fsmonitor ${EVIL} && git -C ${path} -c user.name=t -c user.email=t@e commit -q --allow-empty -m x && ${more} git add -f ${path}`;

/**
 * Each leaves something that git on the host would execute or obey, and touches `$MARK` by it. Commands run in an
 * empty folder that is no repository.
 */
const PLANTS: Readonly<Record<string, string>> = {
  "a setting": `git init -q && git config core.fsmonitor ${EVIL}`,
  "a setting of a worktree": `git init -q && git config extensions.worktreeConfig true && git config --worktree core.fsmonitor ${EVIL}`,
  "a setting behind a value that seems to go on": `git init -q && printf '[user]\\n\\tname = x\\\\\\\\\\n[core] fsmonitor = "touch $MARK; false"\\n' >>.git/config`,
  "a setting in a large file": `git init -q && { head -c 2000000 /dev/zero | tr '\\0' '#'; echo; } >>.git/config && git config core.fsmonitor ${EVIL}`,
  "an include": `git init -q && printf '[core]\\n\\tfsmonitor = "touch $MARK; false"\\n' >own && git config include.path ../own`,
  "an include on a condition": `git init -q && printf '[core]\\n\\tfsmonitor = "touch $MARK; false"\\n' >own && git config includeIf.gitdir:**.path ../own`,
  "a link for a configuration": `git init -q && mv .git/config own && ln -s ../own .git/config && git config -f own core.fsmonitor ${EVIL}`,
  "a hook": `git init -q && ${HOOK(".git/hooks/post-index-change")} && cp .git/hooks/post-index-change .git/hooks/pre-commit`,
  "a folder of hooks elsewhere": `git init -q && git config core.hooksPath h && mkdir h && ${HOOK("h/pre-commit")}`,
  "a link for the folder of hooks": `git init -q && mkdir h && ${HOOK("h/pre-commit")} && rm -r .git/hooks && ln -s ../h .git/hooks`,
  "a folder of hooks that cannot be listed": `git init -q && ${HOOK(".git/hooks/pre-commit")} && chmod 0300 .git/hooks`,
  "an alias": "git init -q && git config alias.st '!touch $MARK'",
  "a filter": `git init -q && git config filter.x.clean ${EVIL} && echo '* filter=x' >.gitattributes && echo x >x`,
  "a commondir": `git init -q && cp -r .git c && git -C c config core.fsmonitor ${EVIL}; git -C c config core.bare false; echo ../c >.git/commondir`,
  "a git directory elsewhere": `git init -q --separate-git-dir gd . && git config core.fsmonitor ${EVIL}`,
  "a hook in a git directory elsewhere": `git init -q --separate-git-dir gd . && ${HOOK("gd/hooks/pre-commit")}`,
  "a link for .git": `git init -q && git config core.fsmonitor ${EVIL} && mv .git gd && ln -s gd .git`,
  "a link through /proc": `git init -q && git config core.fsmonitor ${EVIL} && mv .git gd && ln -s /proc/self/cwd/gd .git`,
  "a .git file through /proc": `git init -q && git config core.fsmonitor ${EVIL} && mv .git gd && echo 'gitdir: /proc/self/cwd/gd' >.git`,
  "a .git file through a link": `git init -q && git config core.fsmonitor ${EVIL} && mv .git gd && ln -s gd l && printf 'gitdir: l\\r\\n' >.git`,
  "a .git that is not whole yet": `mkdir .git && git config -f .git/config core.fsmonitor ${EVIL}`,
  "a folder that looks like one inside": `git init -q --bare . && git config core.bare false && git config core.worktree . && git config core.fsmonitor ${EVIL}`,
  "a folder that looks like one inside, in two parts": `git init -q --bare c && git -C c config core.bare false; git -C c config core.worktree ..; git -C c config core.fsmonitor ${EVIL}; cp c/HEAD .; echo c >commondir`,
  "a submodule": `git init -q && git init -q s && git -C s config core.fsmonitor ${EVIL} && git -C s -c user.name=t -c user.email=t@e commit -q --allow-empty -m x && git add s`,
  "a submodule among packages": SUBMODULE("node_modules/x/y"),
  "a submodule deep down": SUBMODULE("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/x"),
  "a submodule in an index of another version": SUBMODULE(
    ".a/.b/.c/.d/x",
    "git config index.version 4; touch a b; git add a b;",
  ),
  "a submodule in a shared index": `${SUBMODULE("node_modules/x")} && git update-index --split-index`,
  "a submodule of a submodule": `${SUBMODULE("node_modules/x")} && cd node_modules/x && git config --unset core.fsmonitor && ${SUBMODULE("node_modules/y").replace("git init -q && ", "")}; cd ../..`,
  "a submodule in a repository with other hashes": SUBMODULE("node_modules/x").replaceAll(
    "git init -q",
    "git init -q --object-format=sha256",
  ),
  "a submodule's git directory": `git init -q && mkdir -p .git/modules/a && git init -q --separate-git-dir "$PWD/.git/modules/a/b" s && git -C s config core.fsmonitor ${EVIL} && git -C s -c user.name=t -c user.email=t@e commit -q --allow-empty -m x && git add s`,
  "a worktree": `git init -q && git -c user.name=t -c user.email=t@e commit -q --allow-empty -m x && git worktree add -q w && git config extensions.worktreeConfig true && git -C w config --worktree core.fsmonitor ${EVIL}`,
};

/**
 * Fails without the check after a command, and without each of these: aliases, includes, hooks, `.git` files, parts
 * without a HEAD, worktrees, submodules.
 */
describe("[SBX-01 S26] of a git directory that a command makes nothing runs on the host", () => {
  for (const [name, script] of Object.entries(PLANTS)) {
    test(name, async () => {
      await using rig = openSandboxRig();
      const mark = join(rig.outside, "MARK");
      const said = await rig.bash(
        `MARK='${mark}'; ${script.replaceAll("'$MARK'", mark)}`.replaceAll("$MARK", mark),
      );
      expect([name, said]).toEqual([
        name,
        expect.stringContaining("git outside of the sandbox runs or obeys it"),
      ]);
      useGit(rig);
      expect([name, existsSync(mark), said]).toEqual([name, false, said]);
    }, 120_000);
  }

  test("[SBX-04] while the repository itself is of use: what is committed is there", async () => {
    await using rig = openSandboxRig();
    const as = "git -c user.name=t -c user.email=t@e";
    const said = await rig.bash(
      `git init -q && echo a >a && git add a && ${as} commit -qm first && git config remote.o.url 'https://e.org/"x\\y' && git config core.pager less`,
    );
    expect(said).toBe(
      "(no output)\n[. is a new repository. Removed, since git outside of the sandbox runs or obeys it: core.pager. What of that is needed, a person sets outside]",
    );
    expect(hostGit(rig, "log", "--format=%s")).toBe("first\n");
    expect(hostGit(rig, "config", "remote.o.url")).toBe('https://e.org/"x\\y\n');
    expect(hostGit(rig, "status", "--short")).toBe("");
    expect(await rig.bash("git config core.pager less; echo x >.git/hooks/pre-commit")).toContain(
      "Read-only",
    );
  });

  test("also where the command is cancelled", async () => {
    await using rig = openSandboxRig();
    const mark = join(rig.outside, "MARK");
    const running = rig.bash(`git init -q; git config core.fsmonitor 'touch ${mark}'; touch began; sleep 60`);
    await until("the command has begun", () => existsSync(join(rig.root, "began")));
    rig.cancel.abort(new Error("cancelled"));
    await running.catch(() => undefined);
    useGit(rig);
    expect([existsSync(mark), existsSync(join(rig.root, ".git/HEAD"))]).toEqual([false, true]);
  });
});

describe("[SBX-01 S26] a folder beside the workspace that the settings let commands write", () => {
  test("is looked at like the workspace: what is new, and what was there, also of a command in the background", async () => {
    const beside = realpathSync(mkdtempSync(join(sandboxParent(), "beside-")));
    try {
      const own = join(beside, "own");
      mkdirSync(own);
      Bun.spawnSync(["git", "init", "-q", own]);
      await using rig = openSandboxRig({ settings: { writable: [beside] } });
      const mark = join(beside, "MARK");
      const said = await rig.bash(
        `cd ${beside}; git init -q new; git -C new config core.fsmonitor 'touch ${mark}; false'; git -C own config core.fsmonitor 'touch ${mark}; false'`,
      );
      expect(said).toContain(`${beside}/new is a new repository. Removed`);
      expect(said).toContain("core.fsmonitor");
      expect(said).toContain("could not write config file .git/config"); // of `own`, which is closed
      const again = `git init -q ${beside}/bg; git -C ${beside}/bg config core.fsmonitor 'touch ${mark}; false'; touch ${beside}/over`;
      await rig.bash(again, { background: true });
      await until("the setting was made", () => existsSync(join(beside, "over")));
      const config = join(beside, "bg/.git/config");
      await until("the setting is gone", () => !readFileSync(config, "utf8").includes("fsmonitor"));
      for (const name of ["new", "own", "bg"]) Bun.spawnSync(["git", "status"], { cwd: join(beside, name) });
      expect(existsSync(mark)).toBe(false);
    } finally {
      rmSync(beside, { recursive: true, force: true });
    }
  });
});

describe("[SBX-01 S26] a command in the background", () => {
  test("makes no .git in the folder itself, and what it makes below is looked at when it ends", async () => {
    await using rig = openSandboxRig();
    const config = join(rig.root, "sub/.git/config");
    await rig.bash(
      "git init -q; git init -q sub; git -C sub config core.fsmonitor ./x; touch began; while [ ! -e go ]; do sleep 0.05; done",
      { background: true },
    );
    await until("the command has begun", () => existsSync(join(rig.root, "began")));
    expect(existsSync(join(rig.root, ".git/HEAD"))).toBe(false);
    writeFileSync(join(rig.root, "go"), "");
    await until("the setting is gone", () => !readFileSync(config, "utf8").includes("fsmonitor"));
    expect(await rig.bash("true")).toContain("sub is a new repository. Removed");
  });
});

describe("[SBX-01 S26] a git directory elsewhere in the workspace that a person has made", () => {
  test("is closed like a .git folder", async () => {
    await using rig = openSandboxRig();
    mkdirSync(join(rig.root, "sub"));
    for (const [folder, directory] of [
      [".", "gd"],
      ["sub", "deep/gd"],
    ] as const) {
      mkdirSync(join(rig.root, "deep"), { recursive: true });
      hostGit(rig, "-C", folder, "init", "-q", "--separate-git-dir", join(rig.root, directory), ".");
      const before = readFileSync(join(rig.root, directory, "config"), "utf8");
      const said = await rig.bash(
        `(cd ${folder}; git config core.fsmonitor 'touch PWNED'; echo x >$(git rev-parse --git-dir)/hooks/pre-commit)`,
      );
      expect(said).toMatch(/could not (?:lock|write) config file/);
      expect(readFileSync(join(rig.root, directory, "config"), "utf8")).toBe(before);
      expect(existsSync(join(rig.root, directory, "hooks/pre-commit"))).toBe(false);
      expect(
        await rig.bash(`git -C ${folder} -c user.name=t -c user.email=t@e commit -q --allow-empty -m x`),
      ).toBe("(no output)");
    }
  });
});

describe("[SBX-01 S26] what a person sets stays", () => {
  test("in a bare repository, before and while a command changes other settings of it", async () => {
    await using rig = openSandboxRig();
    hostGit(rig, "init", "-q", "--bare", "bare");
    hostGit(rig, "-C", "bare", "config", "core.pager", "less");
    writeFileSync(join(rig.root, "bare/hooks/update"), "mine");
    await rig.bash("true");
    hostGit(rig, "-C", "bare", "config", "core.editor", "vi"); // between two commands
    const said = await rig.bash(
      "git -C bare config core.sshCommand ./x; git -C bare config user.name t; echo x >bare/hooks/pre-receive",
    );
    expect(said).toBe(
      "(no output)\n[The repository bare was changed. Removed, since git outside of the sandbox runs or obeys it: core.sshcommand, hooks/pre-receive. What of that is needed, a person sets outside]",
    );
    const keys = hostGit(rig, "-C", "bare", "config", "--local", "--list", "--name-only");
    expect(keys.split("\n")).toContain("core.pager");
    expect(keys.split("\n")).toContain("core.editor");
    expect(keys.split("\n")).toContain("user.name");
    expect(readFileSync(join(rig.root, "bare/hooks/update"), "utf8")).toBe("mine");
  });

  test("in the workspace's own repository, also while a command runs", async () => {
    await using rig = openSandboxRig();
    hostGit(rig, "init", "-q");
    const running = rig.bash("touch began; while [ ! -e go ]; do sleep 0.05; done");
    await until("the command has begun", () => existsSync(join(rig.root, "began")));
    hostGit(rig, "config", "core.pager", "less");
    writeFileSync(join(rig.root, ".git/hooks/pre-commit"), "mine");
    writeFileSync(join(rig.root, "go"), "");
    expect(await running).toBe("(no output)");
    expect(hostGit(rig, "config", "core.pager")).toBe("less\n");
    expect(readFileSync(join(rig.root, ".git/hooks/pre-commit"), "utf8")).toBe("mine");
  });
});

/** Runs what a person does next in the folder, each in the root and below. */
function useGit(rig: SandboxRig): void {
  hostGit(rig, "status");
  hostGit(rig, "init", "-q");
  hostGit(rig, "status");
  hostGit(rig, "st");
  hostGit(rig, "add", "-A");
  hostGit(rig, "-c", "user.name=t", "-c", "user.email=t@e", "commit", "-q", "--allow-empty", "-m", "mine");
  for (const folder of ["s", "w", "c", "gd"]) {
    if (existsSync(join(rig.root, folder))) hostGit(rig, "-C", folder, "status");
  }
}

function hostGit(rig: SandboxRig, ...words: readonly string[]): string {
  const env = { PATH: "/usr/bin:/bin", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  return Bun.spawnSync(["git", ...words], { cwd: rig.root, env }).stdout.toString();
}
