import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../../test/support/requires.ts";
import { temporaryDirectory } from "../../../test/support/world.ts";
import { isTrackedByGit } from "./git-index.ts";

const withGit = requireProgram("git");
const PATH = ".harness-secrets/env";

withGit(
  "[CRED-02] tracked files are found in every version of git's index, in worktrees and split indexes too",
  async () => {
    await using folder = temporaryDirectory();
    const root = join(folder.path, "repository");
    mkdirSync(join(root, ".harness-secrets"), { recursive: true });
    const git = (...args: readonly string[]) => {
      const done = Bun.spawnSync(["git", "-c", "user.name=u", "-c", "user.email=u@example.org", ...args], {
        cwd: root,
        env: { PATH: "/usr/bin:/bin", HOME: folder.path },
      });
      if (!done.success) throw new Error(done.stderr.toString());
    };
    git("init", "-q");
    expect(isTrackedByGit(root, PATH)).toBe(false);
    for (const name of ["a", "b.env", ".harness-secrets/envy", PATH]) writeFileSync(join(root, name), name);
    git("add", "-f", "a", "b.env", ".harness-secrets/envy");
    for (const version of ["2", "4"]) {
      git("update-index", "--index-version", version);
      expect(isTrackedByGit(root, PATH)).toBe(false);
    }
    git("add", "-f", PATH);
    for (const version of ["2", "3", "4"]) {
      git("update-index", "--index-version", version);
      expect(isTrackedByGit(root, PATH)).toBe(true);
    }
    git("update-index", "--split-index");
    expect(isTrackedByGit(root, PATH)).toBe(true);
    git("commit", "-qm", "all");
    git("worktree", "add", "-q", join(folder.path, "tree"));
    expect(isTrackedByGit(join(folder.path, "tree"), PATH)).toBe(true);
  },
);
