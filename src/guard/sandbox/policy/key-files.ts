import { join } from "node:path";
import { cleanPath } from "../../../base/files/below.ts";
import type { Log } from "../../../base/log.ts";
import type { FileInfo, Files } from "../../../base/world.ts";

/** Files that hold credentials on this machine, known by device and inode: a hard link gives one a harmless name. */
export interface KeyFiles {
  /** Returns the path of the key of which `path` is another name; undefined for any other file. */
  keyOf(path: string, info: FileInfo): Promise<string | undefined>;
  /** Returns the other names of keys below a folder, each with the path of its key. Usually empty. */
  linksBelow(folder: string): Promise<ReadonlyMap<string, string>>;
}

/**
 * Limit for the key files of one listed path, nearest to its top first: a browser's profile holds thousands of files.
 */
export const FILES_PER_PATH_MAX = 256;
export const FOLDERS_PER_PATH_MAX = 64;
/** Limit for the entries searched below a folder, once a key is known to have a second name. */
export const SEARCHED_ENTRIES_MAX = 200_000;

interface KeyFile {
  readonly path: string;
  readonly info: FileInfo;
}

/**
 * Returns the key files of this machine; lists them at the first question, once.
 *
 * A path or folder with more files than the limits allow is known in part, which is logged once: a hard link to one of
 * the rest is not recognised. Treating every hard link as a key instead would ask for each file of a package store.
 * @param places files and folders of credentials, existing or not.
 * @param looks returns the files for the list, which looks at every place. Default: `files`.
 */
export function keyFiles(
  files: Files,
  places: () => Promise<readonly string[]>,
  log: Log,
  looks: () => Promise<Files> = async () => files,
): KeyFiles {
  let listed: Promise<ReadonlyMap<string, KeyFile>> | undefined;
  const cut = new Set<string>();
  const onCut = (path: string) => {
    if (cut.has(path)) return;
    cut.add(path);
    const limits = {
      filesMax: FILES_PER_PATH_MAX,
      foldersMax: FOLDERS_PER_PATH_MAX,
      entriesMax: SEARCHED_ENTRIES_MAX,
    };
    log.for("sandbox").write("warn", "hard links to key files are recognised in part", { path, ...limits });
  };
  const look = { files, onCut };
  const keys = () => {
    listed ??= (async () => await listKeys({ files: await looks(), onCut }, places))();
    return listed;
  };
  return {
    async keyOf(path, info) {
      if (info.kind !== "file" || info.links === 1) return undefined;
      const key = (await keys()).get(info.identity);
      return key === undefined || key.path === path ? undefined : key.path;
    },
    async linksBelow(folder) {
      const linked = [...(await keys()).values()].filter(({ info }) => info.links !== 1);
      return linked.length === 0 ? new Map() : await findLinksBelow(look, folder, linked);
    },
  };
}

interface KeySearch {
  readonly files: Files;
  /** Called with a path or folder that holds more than the limits allow. */
  readonly onCut: (path: string) => void;
}

async function listKeys(
  look: KeySearch,
  places: () => Promise<readonly string[]>,
): Promise<ReadonlyMap<string, KeyFile>> {
  const found = await Promise.all((await places()).map((place) => keyFilesAt(look, cleanPath(place))));
  return new Map(found.flat().map((file) => [file.info.identity, file]));
}

async function keyFilesAt({ files, onCut }: KeySearch, place: string): Promise<readonly KeyFile[]> {
  const found: KeyFile[] = [];
  const folders = [place];
  for (const path of folders) {
    if (found.length >= FILES_PER_PATH_MAX) {
      onCut(place);
      return found;
    }
    const info = await ifAllowed(() => files.lstat(path));
    if (path === place && info?.kind !== "directory") {
      const file = info?.kind === "symlink" ? await ifAllowed(() => files.stat(path)) : info;
      if (file?.kind === "file") found.push({ path, info: file });
      return found;
    }
    for (const { name, kind } of (await ifAllowed(() => files.list(path))) ?? []) {
      const count = kind === "directory" ? folders.length : kind === "file" ? found.length : 0;
      if (count >= (kind === "directory" ? FOLDERS_PER_PATH_MAX : FILES_PER_PATH_MAX)) {
        onCut(place);
        continue;
      }
      if (kind === "directory") folders.push(join(path, name));
      if (kind !== "file") continue;
      const file = await ifAllowed(() => files.lstat(join(path, name)));
      if (file?.kind === "file") found.push({ path: join(path, name), info: file });
    }
  }
  return found;
}

async function findLinksBelow(
  { files, onCut }: KeySearch,
  folder: string,
  linked: readonly KeyFile[],
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map(linked.map((file) => [file.info.identity, file.path]));
  const names = new Map<string, string>();
  const folders = [folder];
  let entries = 0;
  for (const path of folders) {
    for (const { name, kind } of (await ifAllowed(() => files.list(path))) ?? []) {
      entries += 1;
      if (entries > SEARCHED_ENTRIES_MAX) {
        onCut(folder);
        return names;
      }
      const at = join(path, name);
      if (kind === "directory") folders.push(at);
      if (kind !== "file") continue;
      const info = await ifAllowed(() => files.lstat(at));
      const key = info === undefined || info.links === 1 ? undefined : keys.get(info.identity);
      if (key !== undefined && key !== at) names.set(at, key);
    }
  }
  return names;
}

/** Returns undefined where access is refused: a tool of the same user is refused too. */
async function ifAllowed<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look();
  } catch {
    return undefined;
  }
}
