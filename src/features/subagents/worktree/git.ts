import { defined } from "../../../base/defined.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";
import { NO_GIT } from "../../../guard/sandbox/policy/trusted-program.ts";
import { findHarmlessGit } from "../../../guard/sandbox/repository/harmless-git.ts";

/** The longest time for one git call. The checkout of a large repository takes longest. */
const GIT_MS_MAX = 300_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

/** Runs git in a folder and returns its output. @throws HarnessError WorktreeFailed; the signal's reason. */
export type Git = (cwd: string, args: readonly string[], signal: AbortSignal) => Promise<string>;

/**
 * Returns git for the repository with its configuration, objects and references in `common`. Files or links in a git
 * directory cannot redirect it, because their writer could name another configuration, and with it programs. Omit
 * `common` only for finding the repository.
 */
export type GitFor = (common?: string) => Git;

/**
 * Finds the user's git, and runs it so that nothing of the repository is run: see `findHarmlessGit`.
 * @throws HarnessError WorktreeFailed if there is no git.
 */
export async function openGit(
  world: Pick<World, "spawn" | "clock" | "files">,
  { path, writable }: { readonly path: string | undefined; readonly writable: readonly string[] },
): Promise<GitFor> {
  const git = await findHarmlessGit(world, { path: path ?? "", writable });
  if (git === undefined) throw worktreeFailed(NO_GIT);
  const limits = { timeMs: GIT_MS_MAX, outputBytesMax: OUTPUT_BYTES_MAX };
  return (common) => async (cwd, args, signal) => {
    const outcome = await git({ cwd, args, common, ...limits }, signal);
    if (outcome.kind === "failed") throw worktreeFailed(outcome.why);
    return outcome.output;
  };
}

export function worktreeFailed(problem: string, cause?: unknown): HarnessError {
  return new HarnessError("WorktreeFailed", { problem }, defined({ cause }));
}

/** Returns the error for a worktree that is not removed. */
export function worktreeStays(problem: string): HarnessError {
  return new HarnessError("WorktreeStays", { problem });
}
