import { describe, expect } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { bubblewrap } from "../../src/guard/sandbox/bubblewrap/bubblewrap.ts";
import type { Confine, Sandbox } from "../../src/session/guard/sandbox.ts";
import { requireSandbox, sandboxParent } from "../support/sandbox-place.ts";
import type { SandboxRig } from "../support/sandbox-rig.ts";
import { openSandboxRig } from "../support/sandbox-rig.ts";
import { until } from "../support/until.ts";
import { testWorld } from "../support/world.ts";

// A command that is started early runs in a sandbox of its time: what was closed later it can still replace, by a
// link that leads out of the workspace. What then goes by that name, inside and outside of the sandbox, must not
// follow it.

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
function git(cwd: string, ...words: readonly string[]): void {
  const run = Bun.spawnSync(["git", ...words], {
    cwd,
    env: { ...ENV, PATH: "/usr/bin:/bin:/usr/local/bin" },
  });
  if (run.exitCode !== 0) throw new Error(run.stderr.toString());
}

function repository(path: string): void {
  mkdirSync(path, { recursive: true });
  git(path, "init", "-q", "-b", "main");
  git(path, "commit", "-q", "--allow-empty", "-m", "first");
}

const rigged = (folder?: string) => openSandboxRig({ env: ENV, ...(folder === undefined ? {} : { folder }) });

/**
 * Starts a command in the background, and waits until its sandbox stands: from here on what is closed is closed
 * to others.
 */
async function begin(rig: SandboxRig, command: string): Promise<void> {
  await rig.bash(`touch up; while ! test -e go; do sleep 0.01; done; ${command}; touch done; sleep 60`, {
    background: true,
  });
  await until("the command in the background", () => existsSync(join(rig.root, "up")));
}

/** Lets it go on, from inside, and waits until it has done its part. */
async function goOn(rig: SandboxRig): Promise<void> {
  await rig.bash("touch go");
  await until("what the command in the background does", () => existsSync(join(rig.root, "done")));
}

const alike = "git init -q n && touch -r ../outside/other/.git/hooks n/.git/hooks";

describe("[SBX-01 S22 S29] a folder that is closed, and is replaced by a link out of the workspace,", () => {
  // Seen red without the look at the table of mounts, and folders that are held left out of what a preparation
  // stands on.
  test("opens nothing there for the next command", async () => {
    await using rig = rigged();
    const other = join(rig.outside, "other");
    repository(other);
    await begin(rig, "rm -rf n; ln -s ../outside/other n");
    await rig.bash(alike);
    await goOn(rig);
    await rig.bash("echo x >../outside/other/file; echo x >../outside/other/.git/commondir; true");
    expect([existsSync(join(other, "file")), existsSync(join(other, ".git/commondir"))]).toEqual([
      false,
      false,
    ]);
  });

  // Seen red without the look at the table of mounts.
  test("opens nothing, though it is put there in the moment in which a command begins", async () => {
    const real = bubblewrap({ world: testWorld() });
    let swap: (() => void) | undefined;
    const backend: Sandbox = {
      name: "bubblewrap",
      async prepare(policy) {
        const state = await real.prepare(policy);
        if (state.kind !== "working") return state;
        const wrap: Confine["wrap"] = (options) => {
          swap?.();
          return state.confine.wrap(options);
        };
        return { ...state, confine: { ...state.confine, wrap } };
      },
    };
    await using rig = openSandboxRig({ env: ENV, backend });
    const [other, place] = [join(rig.outside, "other"), join(rig.root, "n")];
    for (const path of [other, place]) repository(path);
    await rig.bash("true");
    swap = () => {
      rmSync(place, { recursive: true });
      symlinkSync("../outside/other", place);
      swap = undefined;
    };
    expect(await rig.bash("echo x >../outside/other/file")).toContain(
      "the sandbox could not be set up, so nothing was run: a folder of the workspace was replaced",
    );
    expect(existsSync(join(other, "file"))).toBe(false);
    expect(await rig.bash("echo goes on; echo x >../outside/other/file")).toContain("Read-only file system");
  });

  // Seen red with removing by the name alone, both.
  test("has nothing removed there: by the next command, and by one that began before", async () => {
    await using rig = rigged();
    const other = join(rig.outside, "other");
    repository(other);
    git(other, "worktree", "add", "-q", join(rig.outside, "tree"));
    const part = join(other, ".git/worktrees/tree");
    const target = join(part, "commondir");
    const before = readFileSync(target, "utf8");
    await begin(rig, `rm -rf n/.git; ln -s ${part} n/.git`);
    await rig.bash("git init -q n");
    await goOn(rig);
    expect(readFileSync(target, "utf8")).toBe(before);

    await rig.bash("git init -q m");
    await rig.bash("rm m/.git/HEAD; git init -q k"); // no repository any more, and so not closed
    await rig.bash(`rm -rf m/.git; ln -s ${part} m/.git`);
    expect(readFileSync(target, "utf8")).toBe(before);
  });
});

describe("[SBX-01 S22] what is hidden or closed stays so", () => {
  // Seen red without holding the folders above what is hidden.
  test("when a folder above it is renamed", async () => {
    const hidden: string[] = [];
    await using rig = openSandboxRig({ env: ENV, settings: { hidden } });
    mkdirSync(join(rig.root, "sub/keys"), { recursive: true });
    writeFileSync(join(rig.root, "sub/keys/key"), "CANARY");
    hidden.push(join(rig.root, "sub/keys"));
    await rig.bash("mv sub other; true");
    expect(await rig.bash("cat sub/keys/key other/keys/key; true")).not.toContain("CANARY");
  });

  // Seen red with the folders above held in every case: below a closed one, that opened them.
  test("when something in it is closed or hidden as well", async () => {
    const denied = { hidden: [] as string[], readOnly: [] as { path: string; kind: "file" }[] };
    await using rig = openSandboxRig({ env: ENV, denied: () => denied });
    for (const name of ["agents", "prompts"]) mkdirSync(join(rig.root, ".cinch", name), { recursive: true });
    for (const name of ["agents/a.md", "prompts/p.md"]) writeFileSync(join(rig.root, ".cinch", name), "");
    denied.readOnly.push({ path: join(rig.root, ".cinch/agents/a.md"), kind: "file" });
    denied.hidden.push(join(rig.root, ".cinch/prompts/p.md"));
    for (const name of ["agents", "prompts"]) {
      expect(await rig.bash(`echo x >.cinch/${name}/new.md`)).toContain("Read-only file system");
    }
  });
});

// Seen red without the places that variables name.
test("[SBX-01 S59] credentials are hidden where variables have programs look for them, and no folder that is worked in", async () => {
  const place = mkdtempSync(join(sandboxParent(), "named-"));
  try {
    for (const name of ["kube", "gcp.json", "xdg/gh/hosts", "cargo/credentials.toml", "gnupg/key"]) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), "CANARY");
    }
    const at = (name: string) => join(place, name);
    await using rig = openSandboxRig({
      env: {
        KUBECONFIG: `/nowhere:${at("kube")}`,
        GOOGLE_APPLICATION_CREDENTIALS: at("gcp.json"),
        XDG_CONFIG_HOME: at("xdg"),
        CARGO_HOME: at("cargo"),
        GNUPGHOME: `${at("gnupg")}/`,
        AWS_CONFIG_FILE: "/dev/null",
        DOCKER_CONFIG: "/",
        HISTFILE: "relative",
      },
    });
    const said = await rig.bash(
      `cat ${place}/* ${place}/*/* ${place}/*/*/*; echo in $PWD; echo x >/dev/null; true`,
    );
    expect([said.includes("CANARY"), said.includes(`in ${rig.root}`)]).toEqual([false, true]);
  } finally {
    rmSync(place, { recursive: true });
  }
});

describe("[SBX-01 S26] what git runs outside is closed", () => {
  // Seen red with the working tree taken from where the shared repository lies.
  test("in a worktree: the hooks that the configuration of its repository names lie in the worktree", async () => {
    await using rig = rigged();
    const main = join(rig.outside, "main");
    repository(main);
    git(main, "config", "core.hooksPath", ".hooks");
    git(main, "worktree", "add", "-q", join(rig.root, "tree"));
    await using inside = rigged(join(rig.root, "tree"));
    expect(await inside.bash("mkdir -p .hooks; echo x >.hooks/pre-commit")).toContain(
      "Read-only file system",
    );
    expect(existsSync(join(rig.root, "tree/.hooks/pre-commit"))).toBe(false);
  });

  const spelt: Readonly<Record<string, string>> = {
    "before a comment": "[core]\n\thooksPath = .hooks # ours\n",
    "beside its section": "[core] hooksPath = .hooks\n",
    "with quotes in the middle": '[core]\n\thooksPath = ".ho"oks\n',
    "over two lines": "[core]\n\thooksPath = .ho\\\noks\n",
    twice: "[core]\n\thooksPath = other\n\thooksPath = ./.hooks/\n",
    "in a file that is included": "[include] path = ../shared ; ours\n",
  };
  // Seen red for all but one, with lines that are matched as a whole.
  for (const [how, settings] of Object.entries(spelt)) {
    test(`where core.hooksPath is written ${how}`, async () => {
      await using rig = rigged();
      repository(rig.root);
      writeFileSync(join(rig.root, ".git/config"), settings, { flag: "a" });
      writeFileSync(join(rig.root, "shared"), "[core]\n\thooksPath = .hooks\n");
      const said = await rig.bash("mkdir -p .hooks; echo x >.hooks/pre-commit");
      expect([
        said.includes("Read-only file system"),
        existsSync(join(rig.root, ".hooks/pre-commit")),
      ]).toEqual([true, false]);
    });
  }

  // Seen red, likewise.
  test("where a configuration of the worktree's own is asked for beside its section", async () => {
    await using rig = rigged();
    repository(rig.root);
    writeFileSync(join(rig.root, ".git/config"), "[extensions] worktreeConfig = true\n", { flag: "a" });
    await rig.bash("echo '[core] fsmonitor = x' >.git/config.worktree; true");
    expect(readFileSync(join(rig.root, ".git/config.worktree"), "utf8")).toBe("");
  });

  // It cannot be mounted over. Seen red with the workspace's own left out of the look.
  test("or reported, where the workspace's own .git is a link that is replaced", async () => {
    await using rig = rigged();
    repository(join(rig.outside, "main"));
    symlinkSync(join(rig.outside, "main", ".git"), join(rig.root, ".git"));
    await rig.bash("true");
    expect(await rig.bash("rm .git && git init -q && echo x >.git/hooks/pre-commit")).toContain(
      "[The repository . was changed. Removed, since git outside of the sandbox runs or obeys it: hooks/pre-commit.",
    );
  });
});
