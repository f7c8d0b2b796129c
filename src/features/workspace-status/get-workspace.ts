import { join } from "node:path";
import { DeadlineReached, HarnessError } from "../../base/errors.ts";
import { repositoryRoot } from "../../config/repository-root.ts";
import { NO_GIT } from "../../guard/sandbox/policy/trusted-program.ts";
import type { HarmlessGit } from "../../guard/sandbox/repository/harmless-git.ts";
import { findHarmlessGit } from "../../guard/sandbox/repository/harmless-git.ts";
import type { ResultOf } from "../../protocol/queries/queries.ts";
import type { QueryHandlers } from "../../session/commands/query-handlers.ts";
import type { StoredQueryHost } from "../../session/feature.ts";
import { ownGitFolder } from "./own-git-folder.ts";
import { parseStatus } from "./parse-status.ts";
import { SharedWork } from "./shared-work.ts";

/** Time limit for the status of a repository. */
const STATUS_MS_MAX = 10_000;
/** Limit for git's list of changed and untracked files. */
const STATUS_BYTES_MAX = 32 * 1024 * 1024;

type Workspace = ResultOf<"GetWorkspace">;
type GitStatus = NonNullable<Workspace["git"]>;

/** Answers GetWorkspace for every session, running or stored. Clients that ask at the same time share one answer. */
export function workspaceQueries(host: StoredQueryHost): QueryHandlers {
  const lookups = new SharedWork<string, Workspace>();
  return {
    async GetWorkspace({ sessionId }, { signal }) {
      const info = await host.store.find(sessionId);
      if (info === undefined) throw new HarnessError("UnknownSession", { id: sessionId });
      const { workingDir } = info;
      return await lookups.run(workingDir, (until) => workspaceOf(workingDir, host, until), signal);
    },
  };
}

async function workspaceOf(
  workingDir: string,
  host: StoredQueryHost,
  signal: AbortSignal,
): Promise<Workspace> {
  const { world } = host;
  const info = await world.files.stat(workingDir);
  const root = info?.kind === "directory" ? await repositoryRoot(world.files, workingDir) : undefined;
  if (root === undefined) return { working_dir: workingDir };
  return { working_dir: workingDir, git: await statusOf(root, host, signal) };
}

async function statusOf(root: string, host: StoredQueryHost, signal: AbortSignal): Promise<GitStatus> {
  const { world, environment, redactor, writable } = host;
  const git = await findHarmlessGit(world, {
    path: environment["PATH"] ?? "",
    writable: [root, ...writable.all],
  });
  if (git === undefined) return { root, problem: NO_GIT };
  const folder = await ownGitFolder(world.files, root);
  if (folder === undefined) return { root, problem: "its .git leads to a repository that is not its own" };
  try {
    const outcome = await runStatus(git, { root, folder, environment }, signal);
    if (outcome.kind === "failed") return { root, problem: (await redactor()).text(outcome.why) };
    if (outcome.isCut) return { root, problem: "more files are changed or untracked than can be counted" };
    return { root, ...parseStatus(outcome.output) };
  } catch (thrown) {
    if (!(thrown instanceof DeadlineReached)) throw thrown;
    return { root, problem: `git did not answer in ${STATUS_MS_MAX / 1_000} s` };
  }
}

interface RepositoryLocation {
  readonly root: string;
  /** Folder of git for this working tree. */
  readonly folder: string;
  readonly environment: StoredQueryHost["environment"];
}

async function runStatus(
  git: HarmlessGit,
  { root, folder, environment }: RepositoryLocation,
  signal: AbortSignal,
) {
  const home = environment["HOME"];
  const config = environment["XDG_CONFIG_HOME"] ?? (home === undefined ? undefined : join(home, ".config"));
  // The repository may name another file, or a pipe. git's own default is the user's.
  const excludes = config === undefined ? "/dev/null" : join(config, "git", "ignore");
  return await git(
    {
      cwd: root,
      // Both are named, so that no setting leads git to another folder. Submodules have settings of their own.
      args: [
        ...[`--git-dir=${folder}`, `--work-tree=${root}`, "status", "--porcelain=v2", "--branch", "-z"],
        ...["--untracked-files=normal", "--ignore-submodules=all", "--no-renames"],
      ],
      settings: [["core.excludesFile", excludes]],
      timeMs: STATUS_MS_MAX,
      outputBytesMax: STATUS_BYTES_MAX,
    },
    signal,
  );
}
