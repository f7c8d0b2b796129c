import { join, resolve } from "node:path";
import { unreachable } from "../../../base/assert.ts";
import { decode } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { codeOf, FileTooLarge } from "../../../base/world.ts";
import { dangerousKeys, gitConfigKeys } from "../../sandbox/repository/git-config.ts";
import type { FindGitRepository, GitAnswer } from "./find-git-repository.ts";

const CONFIG_BYTES_MAX = 65_536;
const INDEX_BYTES_MAX = 8_388_608;

/**
 * Returns why git, in a directory, might run something because of the repository; undefined if it cannot.
 *
 * git obeys the configuration of the repository it finds: `core.fsmonitor`, `diff.external`, `filter.*.clean` and
 * others name programs, an include names further configuration (S34). git itself reports which repository that is.
 * Its configuration is read as git finds it, and only keys that are known to be harmless pass. With `tree`, git also
 * reads the working tree: then no hook for that and no other repository inside may exist.
 */
export async function repositoryProblem(
  directory: string,
  tree: boolean,
  { files, git }: { readonly files: Files; readonly git: FindGitRepository | undefined },
): Promise<string | undefined> {
  const answer = (await git?.(directory)) ?? ({ kind: "unknown", why: "git was not asked" } as const);
  switch (answer.kind) {
    case "none":
      return undefined; // git reports no repository, and does nothing
    case "unknown":
      return answer.why;
    case "repository":
      return await placeProblem(answer, tree, files);
    default:
      return unreachable(answer);
  }
}

type GitRepository = Extract<GitAnswer, { readonly kind: "repository" }>;

async function placeProblem(
  { gitDirectory, common, top }: GitRepository,
  tree: boolean,
  files: Files,
): Promise<string | undefined> {
  for (const store of new Set([gitDirectory, common])) {
    const alternates = join(store, "objects/info/alternates");
    if ((await files.lstat(alternates)) !== undefined) return `${alternates} names another store of objects`;
  }
  const hooks = [join(common, "hooks")];
  for (const path of [
    join(common, "config"),
    join(gitDirectory, "config.worktree"),
    join(common, "config.worktree"),
  ]) {
    const config = await configOf(path, files);
    if ("problem" in config) return config.problem;
    const named = config.hooks.map((each) => (each === undefined ? undefined : resolve(top, each)));
    if (tree && named.includes(undefined)) return `${path} sets core.hooksPath to a place that is not plain`;
    hooks.push(...named.filter((each) => each !== undefined));
  }
  if (!tree) return undefined;
  for (const folder of hooks) {
    const hook = join(folder, "post-index-change");
    if ((await files.lstat(hook)) !== undefined) return `${hook} is run by git`;
  }
  return await submoduleProblem(join(gitDirectory, "index"), files);
}

/** Folders of hooks, by each setting: undefined if one cannot be determined for sure. */
interface HarmlessConfig {
  readonly hooks: readonly (string | undefined)[];
}

const PLAIN_PATH = /^"?([\w./@+-]+)"?$/;

async function configOf(path: string, files: Files): Promise<HarmlessConfig | { readonly problem: string }> {
  let text: string | undefined;
  try {
    text = await textOf(path, CONFIG_BYTES_MAX, files);
  } catch (thrown) {
    if (thrown instanceof FileTooLarge) return { problem: `${path} is too large to inspect` };
    throw thrown;
  }
  const keys = gitConfigKeys(text ?? "");
  if (keys === undefined) return { problem: `${path} could not be read` };
  const [odd] = dangerousKeys(keys);
  if (odd !== undefined) return { problem: `${path} sets ${odd}, which git obeys` };
  const named = [...(text ?? "").matchAll(/hookspath[ \t]*=[ \t]*([^\r\n]*)/gi)];
  const hooks = named.map(([, value = ""]) => PLAIN_PATH.exec(value.trimEnd())?.[1]);
  const settings = keys.filter((key) => key === "core.hookspath").length;
  return { hooks: settings === hooks.length ? hooks : [...hooks, undefined] };
}

/** "link": the extension of a split index. It comes first. */
const SHARED_INDEX = 0x6c696e6b;
const SUBMODULE_MODE = 0o160000;

/** git inspects a repository inside the working tree, and obeys its configuration. */
async function submoduleProblem(path: string, files: Files): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await files.read(path, INDEX_BYTES_MAX);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    if (thrown instanceof FileTooLarge || codeOf(thrown) !== undefined)
      return `${path} could not be inspected`;
    throw thrown;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const problem = `${path} could not be read`;
  if (view.byteLength < 12 || view.getUint32(0) !== 0x44495243) return problem;
  const version = view.getUint32(4);
  if (version !== 2 && version !== 3) return problem;
  let at = 12;
  for (let remainingEntries = view.getUint32(8); remainingEntries > 0; remainingEntries--) {
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
  return shared ? `${path} continues in another file` : undefined;
}

async function textOf(path: string, bytesMax: number, files: Files): Promise<string | undefined> {
  try {
    return decode(await files.read(path, bytesMax));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}
