import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";

/** The folders of a session's memories. None is in a repository, whose files are not trusted as memories. */
export interface MemoryFolders {
  readonly user: string;
  readonly project: string;
}

const LINK_BYTES_MAX = 4_096;
const ANCESTORS_MAX = 64;
const LABEL_CHARACTERS_MAX = 40;
const HASH_CHARACTERS = 16;

/**
 * Returns the folders for the memories of the user and of one repository, in cinch's own data.
 *
 * A repository is identified by its git directory, so all of its worktrees share their memories. Outside a
 * repository, the folder itself counts. A folder that claims to be a worktree counts as one only if git's link back
 * to it exists.
 */
export async function findMemoryFolders(
  files: Files,
  data: string,
  workingDir: string,
): Promise<MemoryFolders> {
  const memory = join(data, "memory");
  const identity = await repositoryOf(files, await files.realpath(workingDir));
  const hash = new Bun.CryptoHasher("sha256").update(identity).digest("hex").slice(0, HASH_CHARACTERS);
  const named = basename(identity) === ".git" ? dirname(identity) : identity;
  const label = basename(named)
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .slice(0, LABEL_CHARACTERS_MAX);
  return { user: join(memory, "user"), project: join(memory, "projects", `${label}-${hash}`) };
}

/** Returns the resolved git directory that all worktrees share, or the folder itself. */
async function repositoryOf(files: Files, folder: string): Promise<string> {
  let directory = folder;
  for (let step = 0; step < ANCESTORS_MAX; step++) {
    const git = join(directory, ".git");
    const found = await files.lstat(git);
    if (found?.kind === "file") return (await mainOf(files, git)) ?? git;
    if (found !== undefined) return git;
    const parent = dirname(directory);
    if (parent === directory) return folder;
    directory = parent;
  }
  return folder;
}

/** Returns the shared directory to which a worktree's `.git` file leads; undefined if that does not lead back. */
async function mainOf(files: Files, git: string): Promise<string | undefined> {
  const link = await firstLine(files, git);
  const target = link?.startsWith("gitdir: ")
    ? resolve(dirname(git), link.slice("gitdir: ".length))
    : undefined;
  if (target === undefined) return undefined;
  const [back, common] = await Promise.all(
    ["gitdir", "commondir"].map((name) => firstLine(files, join(target, name))),
  );
  if (back === undefined || common === undefined) return undefined;
  try {
    const linked = isAbsolute(back) ? back : resolve(target, back);
    const shared = await files.realpath(resolve(target, common));
    // The worktree's folder is inside the repository, and names the file that led there.
    const isOwn = dirname(dirname(await files.realpath(target))) === shared;
    return isOwn && (await files.realpath(linked)) === git ? shared : undefined;
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}

async function firstLine(files: Files, path: string): Promise<string | undefined> {
  try {
    return decode(await files.readRange(path, 0, LINK_BYTES_MAX))
      .split("\n", 1)[0]
      ?.trim();
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return undefined;
  }
}
