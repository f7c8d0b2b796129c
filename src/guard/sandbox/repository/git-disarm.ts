import { basename, dirname, join, resolve } from "node:path";
import { isWithin } from "../../../base/files/below.ts";
import type { Files } from "../../../base/world.ts";
import type { GitSetting } from "./git-config.ts";
import { dangerousKeys, gitConfigKeys, parseGitConfig } from "./git-config.ts";
import type { GitFiles } from "./git-directory.ts";
import { hasNoLinks, readGitFile } from "./git-directory.ts";

/** Names of what was removed from a git directory: "core.fsmonitor", "hooks/pre-commit", "commondir". */
export interface Disarmed {
  readonly removed: readonly string[];
  /** Names of what could not be removed: git would still run or obey it. */
  readonly notRemoved: readonly string[];
}

export interface DisarmRequest {
  /** Absolute and resolved. */
  readonly directory: string;
  /** The workspace, resolved. */
  readonly root: string;
  /** Files of the directory that a command made or changed, absolute. Others are left alone. */
  readonly changed: readonly string[];
  /** Returns the earlier settings of a file, as `settingDigests` returns them: they stay. */
  before(path: string): ReadonlySet<string>;
}

type Editing = GitFiles & Pick<Files, "writeResolved" | "removeResolved">;

const CONFIG_BYTES_MAX = 1_048_576;
const POINTER_BYTES_MAX = 4_096;
const CONFIGS: readonly string[] = ["config", "config.worktree"];

/**
 * Settings, beside those of `dangerousKeys`, that a repository needs or that git's own commands write, and that start
 * nothing by themselves.
 */
const KEPT: readonly RegExp[] = [
  /^extensions\.(?:objectformat|compatobjectformat|refstorage|partialclone|worktreeconfig|preciousobjects|relativeworktrees|noop|noop-v1)$/,
  /^core\.(?:sparsecheckout|sparsecheckoutcone|sharedrepository|bigfilethreshold)$/,
  /^remote\..*\.(?:promisor|partialclonefilter)$/s,
  /^submodule\..*\.(?:url|active|branch|ignore|shallow|fetchrecursesubmodules)$/s,
  /^receive\.denynonfastforwards$/,
];

/**
 * Removes from a git directory what git outside the sandbox would run or obey (S26): settings that name programs or
 * other files, aliases, includes, `core.hooksPath`, hooks that are not samples, and a `commondir` that leads elsewhere.
 *
 * A configuration that loses a setting is rewritten as a whole from the settings that stay. Lines that git reads
 * differently from cinch are lost then.
 */
export async function disarmGitDirectory(files: Editing, request: DisarmRequest): Promise<Disarmed> {
  const removed: string[] = [];
  const notRemoved: string[] = [];
  for (const path of request.changed) {
    const found = await dangersOf(files, path, request);
    if (found === undefined) continue;
    try {
      if (found.remainingSettings === undefined) await files.removeResolved(path);
      else await files.writeResolved(path, written(found.remainingSettings));
      removed.push(...found.names);
    } catch {
      notRemoved.push(...found.names); // its permissions were changed: the note asks a person to check
    }
  }
  return { removed: [...new Set(removed)], notRemoved: [...new Set(notRemoved)] };
}

/**
 * Returns a digest of each setting of a configuration, since a value may be a secret; nothing for an invalid file.
 */
export async function settingDigests(files: GitFiles, path: string): Promise<ReadonlySet<string>> {
  const text = await readGitFile(files, path, CONFIG_BYTES_MAX);
  return new Set(typeof text === "string" ? parseGitConfig(text).map(digestOf) : []);
}

export function isGitConfig(path: string): boolean {
  return CONFIGS.includes(basename(path));
}

interface Dangers {
  readonly names: readonly string[];
  /** Settings that stay; absent if the whole file goes. */
  readonly remainingSettings?: readonly GitSetting[];
}

async function dangersOf(
  files: Editing,
  path: string,
  { directory, root, before }: DisarmRequest,
): Promise<Dangers | undefined> {
  const name = path.slice(directory.length + 1);
  if (name.startsWith("hooks")) return { names: [name] };
  if (!CONFIGS.includes(name))
    return (await leadsElsewhere(files, directory)) ? { names: [name] } : undefined;
  const text = await readGitFile(files, path, CONFIG_BYTES_MAX);
  if (text === undefined) return undefined;
  if (typeof text !== "string") return { names: [name] };
  const spared = before(path);
  const settings = parseGitConfig(text);
  const stay = await Promise.all(
    settings.map(
      async (setting) =>
        spared.has(digestOf(setting)) || (await isHarmless(files, setting, { directory, root })),
    ),
  );
  const remainingSettings = settings.filter((_, at) => stay[at]);
  const names = settings.flatMap(({ key }, at) => (stay[at] ? [] : [key]));
  if (names.length > 0) return { names, remainingSettings };
  const known = new Set(settings.map(({ key }) => key));
  const isRead = gitConfigKeys(text)?.every((key) => known.has(key)) === true;
  return isRead ? undefined : { names: [`lines of ${name} that are not plain`], remainingSettings };
}

async function isHarmless(
  files: GitFiles,
  { key, value }: GitSetting,
  { directory, root }: Pick<DisarmRequest, "directory" | "root">,
): Promise<boolean> {
  if (key === "core.hookspath" || key.startsWith("alias.")) return false;
  if (key === "core.worktree") {
    // For a submodule: the folder of its files. Any other value would let git write committed content over files of
    // the user.
    const tree = resolve(directory, value);
    return isWithin(root, tree) && (await hasNoLinks(files, tree, root));
  }
  return dangerousKeys([key]).length === 0 || KEPT.some((each) => each.test(key));
}

function digestOf(setting: GitSetting): string {
  return new Bun.CryptoHasher("sha256").update(textOf(setting)).digest("base64");
}

function textOf({ key, value, implicit }: GitSetting): string {
  return implicit === true ? key : `${key}=${value}`;
}

/** Renders settings as git writes them. */
function written(settings: readonly GitSetting[]): string {
  const lines = settings.map(({ key, value, implicit }) => {
    const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
    const section = key.slice(0, first);
    const name = first === last ? "" : ` "${quoted(key.slice(first + 1, last))}"`;
    const end = implicit === true ? "" : ` = "${escaped(value)}"`;
    return `[${section}${name}]\n\t${key.slice(last + 1)}${end}\n`;
  });
  return lines.join("");
}

function quoted(text: string): string {
  return text.replaceAll(/["\\]/g, "\\$&");
}

function escaped(value: string): string {
  return quoted(value).replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b");
}

/** Returns true if `commondir` leads anywhere but to the repository of a worktree, which has one. */
async function leadsElsewhere(files: GitFiles, directory: string): Promise<boolean> {
  const text = await readGitFile(files, join(directory, "commondir"), POINTER_BYTES_MAX);
  if (text === undefined) return false;
  if (typeof text !== "string" || basename(dirname(directory)) !== "worktrees") return true;
  return resolve(directory, text.replace(/[\r\n]+$/, "")) !== dirname(dirname(directory));
}
