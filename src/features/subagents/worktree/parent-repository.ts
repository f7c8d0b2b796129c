import { basename, dirname, join } from "node:path";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { World } from "../../../base/world.ts";
import type { GitFor } from "./git.ts";
import { worktreeFailed } from "./git.ts";

const ASKED = [
  "rev-parse",
  "--path-format=absolute",
  "--show-toplevel",
  "--absolute-git-dir",
  "--show-prefix",
] as const;

export interface ParentRepository {
  /** The top of its working tree. */
  readonly top: string;
  /** The workspace, relative to that. */
  readonly prefix: string;
  /** The resolved folder with its configuration, objects, references and worktrees. */
  readonly common: string;
}

/**
 * Finds the repository of a workspace.
 *
 * A `.git` file is followed only if the repository that it names has a matching worktree, because a downloaded one
 * could name any repository of the user's. The folder of the configuration follows from the position of `.git`. A
 * `commondir` or link is ignored, since a command could have created it.
 * @throws HarnessError WorktreeFailed; the signal's reason.
 */
export async function findParentRepository(
  workspace: string,
  { git, world: { files } }: { readonly git: GitFor; readonly world: Pick<World, "files"> },
  signal: AbortSignal,
): Promise<ParentRepository> {
  let answered: string;
  try {
    answered = await git()(workspace, ASKED, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw worktreeFailed(`${workspace} is in no git repository`, cause);
  }
  const [top = "", directory = "", prefix = ""] = answered.split("\n");
  const common = directory === join(top, ".git") ? directory : await commonOf(top, directory, files);
  for (const folder of [directory, join(common, "worktrees")])
    if (await leadsElsewhere(folder, files))
      throw worktreeFailed(`${folder} is a link, which git does not make`);
  return { top, prefix, common };
}

/** Returns the common folder of a worktree, after checking that its git folder is one of that repository's. */
async function commonOf(top: string, directory: string, files: World["files"]): Promise<string> {
  const back = await files.read(join(directory, "gitdir"), 4_096).catch(() => undefined);
  const named = back === undefined ? "" : new TextDecoder().decode(back).trim();
  const worktrees = dirname(directory);
  const common = dirname(worktrees);
  const isRepository = (await files.stat(join(common, "HEAD")))?.kind === "file";
  if (named !== join(top, ".git") || basename(worktrees) !== "worktrees" || !isRepository)
    throw worktreeFailed(`the .git of ${top} leads to ${directory}, which is not a repository of it`);
  return common;
}

async function leadsElsewhere(folder: string, files: World["files"]): Promise<boolean> {
  return (await files.lstat(folder)) !== undefined && (await realPathIfThere(files, folder)) !== folder;
}
