import { dirname, join } from "node:path";
import { cleanPath, isWithin } from "../../../base/files/below.ts";
import { realPathIfThere } from "../../../base/files/real-path.ts";
import type { Files } from "../../../base/world.ts";

type LinkFiles = Pick<Files, "lstat" | "readlink" | "realpath">;

/** Limit for the links of one path; the kernel follows as many. */
const LINKS_MAX = 40;

/**
 * Returns every link that an absolute path goes through, each by its own resolved path: in a folder of the path, at its
 * end, and on the way from one link to another. Ends at what does not exist.
 */
async function linksOf(
  files: Pick<LinkFiles, "lstat" | "readlink">,
  path: string,
): Promise<readonly string[]> {
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
    if (kind === undefined) return links;
    if (kind !== "symlink") {
      at = next;
      continue;
    }
    links.push(next);
    if (links.length > LINKS_MAX) return links;
    const target = await files.readlink(next);
    if (target.startsWith("/")) at = "/";
    rest = [...partsOf(target), ...rest];
  }
  return links;
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
  for (const link of await linksOf(files, path)) {
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

/** A folder of the settings, as it is named there, with every link resolved. */
interface NamedFolder {
  readonly named: string;
  readonly path: string;
}

/**
 * Returns the existing paths of the settings that commands may write, resolved. `folders`: what they write besides.
 *
 * A link that lies where commands write may be theirs, or a repository's, and would lead them to any folder. So a path
 * that goes through one is left out, and `onLeftOut` gets it with the link.
 */
export async function writablePaths(
  files: LinkFiles,
  { listed, folders: roots, home }: ForeignFolders & { readonly listed: readonly string[] },
  onLeftOut: (path: string, link: string) => void,
): Promise<readonly string[]> {
  const found = await Promise.all(
    listed.map(async (named): Promise<readonly NamedFolder[]> => {
      const path = await realPathIfThere(files, named);
      return path === undefined ? [] : [{ named, path }];
    }),
  );
  const folders = found.flat();
  const namedPaths = folders.map(async ({ named, path }) => {
    if (path === cleanPath(named)) return [path];
    const others = folders.filter((other) => other.path !== path).map((other) => other.path);
    const link = await foreignLink(files, named, { folders: [...roots, ...others], home });
    if (link === undefined) return [path];
    onLeftOut(named, link);
    return [];
  });
  return [...new Set((await Promise.all(namedPaths)).flat())];
}
