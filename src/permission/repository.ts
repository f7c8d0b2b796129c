import { dirname, join, resolve } from "node:path";
import { decode } from "../base/text.ts";
import type { Files } from "../base/world.ts";
import { codeOf, FileTooLarge } from "../base/world.ts";
import { configKeys, keysThatRun } from "../sandbox/git-config.ts";

const CONFIG_BYTES_MAX = 65_536;
const POINTER_BYTES_MAX = 4_096;
const INDEX_BYTES_MAX = 8_388_608;

/**
 * Says why git, in a directory, might run something because of what the repository says; undefined where it cannot.
 *
 * git obeys the configuration of the repository it finds: `core.fsmonitor`, `diff.external`, `filter.*.clean` and others
 * name programs, an include names further configuration (S34). So the configuration is read as git finds it, and only
 * keys that are known to be harmless are let pass. With `tree`, git also looks at the working tree: then no hook for that
 * and no other repository inside may be there.
 */
export async function repositoryProblem(
  directory: string,
  tree: boolean,
  files: Files,
): Promise<string | undefined> {
  for (let at = directory; ; at = dirname(at)) {
    const dot = join(at, ".git");
    const info = await files.lstat(dot);
    if (info !== undefined) {
      const place = info.kind === "directory" ? { own: dot, common: dot } : await linkedPlace(dot, files);
      if (typeof place === "string") return place;
      return await placeProblem(place, tree, files);
    }
    // A directory that looks like the inside of a repository is one to git, configuration and all.
    if (
      (await files.lstat(join(at, "HEAD"))) !== undefined &&
      (await files.lstat(join(at, "objects"))) !== undefined
    )
      return `${at} looks like a bare repository`;
    if (dirname(at) === at) return undefined; // no repository: git says so
  }
}

interface GitPlace {
  readonly own: string;
  readonly common: string;
}

/** A `.git` that is a file, as in worktrees and submodules, says where the repository is. */
async function linkedPlace(dot: string, files: Files): Promise<GitPlace | string> {
  const text = await textOf(dot, POINTER_BYTES_MAX, files);
  const target = /^gitdir: ([^\n\0]+)\n?$/.exec(text ?? "")?.[1];
  if (target === undefined) return `${dot} is neither a directory nor a link to one`;
  const own = resolve(dirname(dot), target);
  const common = await textOf(join(own, "commondir"), POINTER_BYTES_MAX, files);
  return { own, common: common === undefined ? own : resolve(own, common.trim()) };
}

async function placeProblem(
  { own, common }: GitPlace,
  tree: boolean,
  files: Files,
): Promise<string | undefined> {
  for (const path of [
    join(common, "config"),
    join(own, "config.worktree"),
    join(common, "config.worktree"),
  ]) {
    const problem = await configProblem(path, files);
    if (problem !== undefined) return problem;
  }
  if (!tree) return undefined;
  if ((await files.lstat(join(common, "hooks", "post-index-change"))) !== undefined)
    return `${join(common, "hooks", "post-index-change")} is run by git`;
  return await submoduleProblem(join(own, "index"), files);
}

async function configProblem(path: string, files: Files): Promise<string | undefined> {
  let text: string | undefined;
  try {
    text = await textOf(path, CONFIG_BYTES_MAX, files);
  } catch (thrown) {
    if (thrown instanceof FileTooLarge) return `${path} is too large to be looked through`;
    throw thrown;
  }
  if (text === undefined) return undefined;
  const keys = configKeys(text);
  if (keys === undefined) return `${path} could not be read`;
  const [odd] = keysThatRun(keys);
  return odd === undefined ? undefined : `${path} sets ${odd}, which git obeys`;
}

/** "link": the extension of a split index. It stands first. */
const SHARED_INDEX = 0x6c696e6b;
const SUBMODULE_MODE = 0o160000;

/** git looks into a repository inside the working tree, and obeys that one's configuration. */
async function submoduleProblem(path: string, files: Files): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await files.read(path, INDEX_BYTES_MAX);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    if (thrown instanceof FileTooLarge || codeOf(thrown) !== undefined)
      return `${path} could not be looked through`;
    throw thrown;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const problem = `${path} could not be read`;
  if (view.byteLength < 12 || view.getUint32(0) !== 0x44495243) return problem;
  const version = view.getUint32(4);
  if (version !== 2 && version !== 3) return problem;
  let at = 12;
  for (let left = view.getUint32(8); left > 0; left--) {
    if (at + 62 > view.byteLength) return problem;
    if (view.getUint32(at + 24) === SUBMODULE_MODE)
      return "there is another repository inside, which git obeys too";
    const flags = view.getUint16(at + 60);
    const start = at + 62 + ((flags & 0x4000) === 0 ? 0 : 2);
    const end = bytes.indexOf(0, start);
    if (end === -1) return problem;
    at += (Math.floor((end - at) / 8) + 1) * 8;
  }
  const shared = at + 4 <= bytes.length && view.getUint32(at) === SHARED_INDEX;
  return shared ? `${path} goes on in another file` : undefined;
}

async function textOf(path: string, bytesMax: number, files: Files): Promise<string | undefined> {
  try {
    return decode(await files.read(path, bytesMax));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}
