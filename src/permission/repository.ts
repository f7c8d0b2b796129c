import { dirname, join, resolve } from "node:path";
import { decode } from "../base/text.ts";
import type { Files } from "../base/world.ts";
import { codeOf, FileTooLarge } from "../base/world.ts";

const CONFIG_BYTES_MAX = 65_536;
const POINTER_BYTES_MAX = 4_096;
const INDEX_BYTES_MAX = 8_388_608;

/** Keys of a repository's own configuration that name no program, no other file and no other place. */
const HARMLESS_KEYS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|longpaths|quotepath|abbrev|whitespace|untrackedcache|preloadindex|hookspath|compression|commentchar|protectntfs|protecthfs|trustctime|checkstat)$/,
  /^(?:remote\..*\.(?:url|pushurl|fetch|push|tagopt|prune|mirror)|remote\.pushdefault)$/,
  /^branch\.(?:.*\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gh-merge-base|github-pr-owner-number)|autosetuprebase|autosetupmerge|sort)$/,
  /^(?:user|author|committer)\.(?:name|email|signingkey)$/,
  /^(?:pull\.(?:rebase|ff|octopus)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags|parallel|writecommitgraph)|init\.defaultbranch|merge\.(?:conflictstyle|ff|renamelimit|log)|rebase\.(?:autosquash|autostash|updaterefs)|rerere\.(?:enabled|autoupdate)|commit\.(?:verbose|gpgsign)|tag\.(?:sort|gpgsign)|gc\.(?:auto|autodetach|pruneexpire)|maintenance\.(?:auto|strategy)|index\.(?:version|threads)|feature\.(?:manyfiles)|http\.postbuffer|pack\.(?:threads|windowmemory))$/,
  /^(?:color|advice|column|gui|alias|lfs\.repositoryformatversion|extensions\.objectformat|submodule\.(?:active|recurse)|status\.(?:short|branch|showuntrackedfiles|relativepaths)|log\.(?:date|decorate|abbrevcommit|follow)|diff\.(?:renames|algorithm|mnemonicprefix|noprefix|colormoved|indentheuristic|renamelimit|context))(?:\.|$)/,
];

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
  const odd = keys.find((key) => !HARMLESS_KEYS.some((harmless) => harmless.test(key)));
  return odd === undefined ? undefined : `${path} sets ${odd}, which git obeys`;
}

/** The keys of a configuration, section and all, in small letters; undefined for a line that is none. */
export function configKeys(text: string): readonly string[] | undefined {
  const keys: string[] = [];
  let section: string | undefined;
  const lines = text.replaceAll("\r\n", "\n").replaceAll("\\\n", " ").split("\n");
  for (const line of lines) {
    let rest = line.trim();
    const header = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"((?:[^"\\]|\\.)*)")?\][ \t]*/.exec(rest);
    if (header !== null) {
      section = [header[1]?.toLowerCase(), header[2]].filter((part) => part !== undefined).join(".");
      rest = rest.slice(header[0].length);
    }
    if (rest === "" || rest.startsWith("#") || rest.startsWith(";")) continue;
    const key = /^([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=|$)/.exec(rest)?.[1];
    if (section === undefined || key === undefined) return undefined;
    // A setting may not open a section of its own, and a quoted value may hold anything.
    keys.push(`${section}.${key.toLowerCase()}`);
  }
  return keys;
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
