import { dirname, join } from "node:path";
import { cleanPath, isWithin } from "../../../base/files/below.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";

type LinkFiles = Pick<Files, "lstat" | "readlink" | "realpath">;

/** Limit for the links of one path; the kernel follows as many. */
const LINKS_MAX = 40;

/** An absolute path as it was walked, entry by entry. */
export interface LinkWalk {
  /**
   * Every link on the way, each by its own resolved path: in a folder of the path, at its end, and on the way from one
   * link to another.
   */
  readonly links: readonly string[];
  /** The end of the path, resolved. Absent if something on the way does not exist, or there are too many links. */
  readonly end?: string;
}

/** Walks an absolute path. No link that is put there later changes what was seen. */
export async function walkLinks(
  files: Pick<LinkFiles, "lstat" | "readlink">,
  path: string,
): Promise<LinkWalk> {
  const links: string[] = [];
  let rest = partsOf(cleanPath(path));
  let at = "/";
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    const kind = (await files.lstat(next))?.kind;
    if (kind === undefined) return { links };
    if (kind !== "symlink") {
      at = next;
      continue;
    }
    links.push(next);
    if (links.length > LINKS_MAX) return { links };
    const target = await files.readlink(next);
    if (target.startsWith("/")) at = "/";
    rest = [...partsOf(target), ...rest];
  }
  return { links, end: at };
}

/** The parts of a path as it is written: `..` after a link is not what it looks like. */
function partsOf(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

/** Folders in which commands or a repository can make links. Resolved. */
export interface ForeignFolders {
  /** Folders that commands of the session write. */
  readonly folders: readonly string[];
  /** The home: a repository there is the user's own. */
  readonly home: string | undefined;
}

/**
 * Returns the first link of a path that commands or a repository can have made: it lies in one of the folders, or in a
 * repository, which may be downloaded, and in which another session may have run commands. Undefined if there is none.
 */
export async function foreignLink(
  files: LinkFiles,
  path: string,
  { folders, home }: ForeignFolders,
): Promise<string | undefined> {
  for (const link of (await walkLinks(files, path)).links) {
    if (folders.some((folder) => isWithin(folder, link))) return link;
    if (await isInRepository(files, link, home)) return link;
  }
  return undefined;
}

async function isInRepository(
  files: Pick<LinkFiles, "lstat">,
  link: string,
  home: string | undefined,
): Promise<boolean> {
  for (let folder = dirname(link); folder !== "/" && folder !== home; folder = dirname(folder))
    if ((await files.lstat(join(folder, ".git"))) !== undefined) return true;
  return false;
}

/** The folders that commands may write, and the folders whose links count. */
export interface WritableLinks {
  /** Folders of the settings that commands may write. */
  readonly listed: readonly string[];
  /** Folders that commands write besides. Resolved. */
  readonly folders: readonly string[];
  /** True for a folder whose links only the user, or the system, can have made: see `linkTrust`. */
  readonly isTrusted: (folder: string) => boolean;
}

/**
 * Returns the existing paths of the settings that commands may write, resolved.
 *
 * A link may be planted, by a repository or by a command of any session, and would lead commands to any folder. So a
 * path is left out if it goes through a link in a folder that is not trusted, or that commands write now. `onLeftOut`
 * gets it with the link. The path that counts is the one whose links were seen, not what a link leads to a moment
 * earlier or later (S29).
 */
export async function writablePaths(
  files: LinkFiles,
  { listed, folders: roots, isTrusted }: WritableLinks,
  onLeftOut: (path: string, link: string) => void,
): Promise<readonly string[]> {
  const found = await Promise.all(
    listed.map(async (named) => {
      if ((await realPathIfThere(files, named)) === undefined) return []; // throws for links in a circle
      const { links, end: path } = await walkLinks(files, named);
      return path === undefined ? [] : [{ named, path, links }];
    }),
  );
  const all = found.flat();
  const paths = all.flatMap(({ named, path, links }) => {
    const others = all.filter((other) => other.path !== path).map((other) => other.path);
    const written = [...roots, ...others];
    const link = links.find(
      (each) => !isTrusted(dirname(each)) || written.some((folder) => isWithin(folder, each)),
    );
    if (link === undefined) return [path];
    onLeftOut(named, link);
    return [];
  });
  return [...new Set(paths)];
}
