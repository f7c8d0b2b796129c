import { basename, dirname, join } from "node:path";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { World } from "../../../base/world.ts";
import type { GitOf } from "./git.ts";
import { failed } from "./git.ts";

const ASKED = [
  "rev-parse",
  "--path-format=absolute",
  "--show-toplevel",
  "--absolute-git-dir",
  "--show-prefix",
] as const;

export interface Repository {
  /** The top of its working tree. */
  readonly top: string;
  /** The workspace below that. */
  readonly prefix: string;
  /** Where its configuration, objects, references and worktrees are; no part of that is a link. */
  readonly common: string;
}

/**
 * The repository around a workspace.
 *
 * A `.git` that is a file is followed only where the repository that it names knows of it: one that came with a download
 * could name any repository of the user's. Where the configuration is follows from where `.git` lies, and from no
 * `commondir` or link that a command could have made there.
 * @throws HarnessError WorktreeFailed; the signal's reason.
 */
export async function repositoryAt(
  workspace: string,
  { git, world: { files } }: { readonly git: GitOf; readonly world: Pick<World, "files"> },
  signal: AbortSignal,
): Promise<Repository> {
  let answered: string;
  try {
    answered = await git()(workspace, ASKED, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw failed(`${workspace} is in no git repository`, cause);
  }
  const [top = "", directory = "", prefix = ""] = answered.split("\n");
  const common = directory === join(top, ".git") ? directory : await commonOf(top, directory, files);
  for (const folder of [directory, join(common, "worktrees")])
    if (await leadsElsewhere(folder, files)) throw failed(`${folder} is a link, which git does not make`);
  return { top, prefix, common };
}

/** Of a worktree: its own folder is one of those that its repository has for them. */
async function commonOf(top: string, directory: string, files: World["files"]): Promise<string> {
  const back = await files.read(join(directory, "gitdir"), 4_096).catch(() => undefined);
  const named = back === undefined ? "" : new TextDecoder().decode(back).trim();
  const worktrees = dirname(directory);
  const common = dirname(worktrees);
  const isRepository = (await files.stat(join(common, "HEAD")))?.kind === "file";
  if (named !== join(top, ".git") || basename(worktrees) !== "worktrees" || !isRepository)
    throw failed(`the .git of ${top} leads to ${directory}, which is no repository of it`);
  return common;
}

async function leadsElsewhere(folder: string, files: World["files"]): Promise<boolean> {
  return (await files.lstat(folder)) !== undefined && (await realPathIfThere(files, folder)) !== folder;
}
