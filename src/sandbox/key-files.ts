import { join } from "node:path";
import { cleanPath } from "../base/below.ts";
import type { FileInfo, Files } from "../base/world.ts";

/** The files that hold credentials on this machine, known by device and inode: a hard link gives one a harmless name. */
export interface KeyFiles {
  /** Returns the path of the key that a file is under another name; undefined for any other file. */
  nameOf(path: string, info: FileInfo): Promise<string | undefined>;
  /** Returns the names that keys have below a folder, each with the path of its key. Mostly there are none. */
  below(folder: string): Promise<ReadonlyMap<string, string>>;
}

/** Limit for the key files of one place, nearest to its top first: a browser's profile holds thousands of files. */
const FILES_OF_PLACE_MAX = 256;
const FOLDERS_OF_PLACE_MAX = 64;
/** Entries that are looked through below a folder, once some key is known to have a second name. */
const ENTRIES_MAX = 200_000;

interface KeyFile {
  readonly path: string;
  readonly info: FileInfo;
}

/**
 * Lists the key files at the first question, once.
 * @param places files and folders of credentials, whether they are there or not.
 */
export function keyFiles(files: Files, places: () => Promise<readonly string[]>): KeyFiles {
  let listed: Promise<ReadonlyMap<string, KeyFile>> | undefined;
  const keys = () => {
    listed ??= listKeys(files, places);
    return listed;
  };
  return {
    async nameOf(path, info) {
      if (info.kind !== "file" || info.links === 1) return undefined;
      const key = (await keys()).get(info.identity);
      return key === undefined || key.path === path ? undefined : key.path;
    },
    async below(folder) {
      const linked = [...(await keys()).values()].filter(({ info }) => info.links !== 1);
      return linked.length === 0 ? new Map() : await namesBelow(files, folder, linked);
    },
  };
}

async function listKeys(
  files: Files,
  places: () => Promise<readonly string[]>,
): Promise<ReadonlyMap<string, KeyFile>> {
  const found = await Promise.all((await places()).map((place) => filesAt(files, cleanPath(place))));
  return new Map(found.flat().map((file) => [file.info.identity, file]));
}

async function filesAt(files: Files, place: string): Promise<readonly KeyFile[]> {
  const found: KeyFile[] = [];
  const folders = [place];
  for (const path of folders) {
    if (found.length >= FILES_OF_PLACE_MAX) return found;
    const info = await looked(() => files.lstat(path));
    if (path === place && info?.kind !== "directory") {
      const file = info?.kind === "symlink" ? await looked(() => files.stat(path)) : info;
      if (file?.kind === "file") found.push({ path, info: file });
      return found;
    }
    for (const { name, kind } of (await looked(() => files.list(path))) ?? []) {
      if (kind === "directory" && folders.length < FOLDERS_OF_PLACE_MAX) folders.push(join(path, name));
      if (kind !== "file" || found.length >= FILES_OF_PLACE_MAX) continue;
      const file = await looked(() => files.lstat(join(path, name)));
      if (file?.kind === "file") found.push({ path: join(path, name), info: file });
    }
  }
  return found;
}

async function namesBelow(
  files: Files,
  folder: string,
  linked: readonly KeyFile[],
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map(linked.map((file) => [file.info.identity, file.path]));
  const names = new Map<string, string>();
  const folders = [folder];
  let entries = 0;
  for (const path of folders) {
    for (const { name, kind } of (await looked(() => files.list(path))) ?? []) {
      entries += 1;
      if (entries > ENTRIES_MAX) return names;
      const at = join(path, name);
      if (kind === "directory") folders.push(at);
      if (kind !== "file") continue;
      const info = await looked(() => files.lstat(at));
      const key = info === undefined || info.links === 1 ? undefined : keys.get(info.identity);
      if (key !== undefined && key !== at) names.set(at, key);
    }
  }
  return names;
}

/** Undefined where we may not look, as a tool of the same user may not either. */
async function looked<Found>(look: () => Promise<Found>): Promise<Found | undefined> {
  try {
    return await look();
  } catch {
    return undefined;
  }
}
