import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { unreadableProblem } from "../../../base/files/unreadable.ts";
import type { DirectoryEntry, Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { TrustItem, TrustLayout, TrustScope } from "../../../session/guard/trust.ts";
import type { ReadItem } from "./read-item.ts";
import { readFileItem, readFolderItem } from "./read-item.ts";

/** Items of a folder that would be loaded, and files at their paths that never are. */
export interface FolderItems {
  readonly items: readonly TrustItem[];
  /** Absolute paths, each with a sentence that gives the reason. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** Folder of a project's files for cinch. */
export const PROJECT_FOLDER = ".cinch";

/** Settings of a project that hold in each of its sessions. */
export const PROJECT_SETTINGS = [
  { name: "config.toml", kind: "config", order: 10 },
  { name: "permissions.toml", kind: "permission-preset", order: 20 },
] as const;

/** Settings of a repository, which no feature owns: they and its profiles restrict what the user's own allow. */
export const SETTINGS_FILES: readonly TrustLayout[] = [
  ...PROJECT_SETTINGS.map(
    ({ name, kind, order }): TrustLayout => ({
      ...{ kind, order, in: "project", folder: PROJECT_FOLDER },
      names: new RegExp(`^${name.replace(".", "\\.")}$`),
    }),
  ),
  { kind: "profile", in: "project", folder: ".cinch", names: /^profile\.toml$/, order: 60 },
  { kind: "profile", in: "project", folder: ".cinch/profiles", names: /\.toml$/, order: 80 },
  { kind: "permission-preset", in: "project", folder: ".cinch/profiles/preset", names: /\.toml$/, order: 90 },
];

const FOLDER_ENTRIES_MAX = 256;

/**
 * Reads every file of a project's `.cinch/` and `.agents/` that these layouts name, once, without judging it (TOFU-01).
 * A project is a repository, identified by its root; files in a nested repository belong to that one (S41).
 */
export async function readProjectItems(
  files: Files,
  root: string,
  layouts: readonly TrustLayout[],
): Promise<FolderItems> {
  return await find(files, root, { layouts: inOrder(layouts, "project"), scope: "project" });
}

/** Reads the same from the user's configuration folder. */
export async function readUserItems(
  files: Files,
  configDirectory: string,
  layouts: readonly TrustLayout[],
): Promise<FolderItems> {
  if ((await files.stat(configDirectory))?.kind !== "directory") return { items: [], refused: [] };
  const root = await files.realpath(configDirectory);
  return await find(files, root, { layouts: inOrder(layouts, "user"), scope: "user" });
}

/** Reads the same from `~/.agents`, which the user shares between programs. */
export async function readSharedItems(
  files: Files,
  home: string,
  layouts: readonly TrustLayout[],
): Promise<FolderItems> {
  const folder = join(home, ".agents");
  if ((await files.stat(folder))?.kind !== "directory") return { items: [], refused: [] };
  const root = await files.realpath(folder);
  return await find(files, root, { layouts: inOrder(layouts, "shared"), scope: "user" });
}

/** Returns true if a project has entries at the places of these layouts, be they readable or not. */
export async function hasProjectItems(
  files: Files,
  root: string,
  layouts: readonly TrustLayout[],
): Promise<boolean> {
  for (const { folder, names } of inOrder(layouts, "project")) {
    const entries = await entriesOf(files, join(root, folder));
    if (typeof entries === "string" || entries.some((entry) => isWanted(entry, names))) return true;
  }
  return false;
}

function inOrder(layouts: readonly TrustLayout[], place: TrustLayout["in"]): readonly TrustLayout[] {
  return layouts.filter((each) => each.in === place).sort((a, b) => a.order - b.order);
}

async function find(
  files: Files,
  root: string,
  { layouts, scope }: { readonly layouts: readonly TrustLayout[]; readonly scope: TrustScope },
): Promise<FolderItems> {
  const read: ReadItem[] = [];
  const folders = [...new Set(layouts.map(({ folder }) => folder))];
  const listed = new Map(
    await Promise.all(folders.map(async (each) => [each, await entriesOf(files, join(root, each))] as const)),
  );
  for (const { folder, kind, names } of layouts) {
    const directory = join(root, folder);
    const entries = listed.get(folder) ?? [];
    if (typeof entries === "string") {
      read.push({ kind: "refused", path: directory, why: entries });
      continue;
    }
    const wanted = entries.filter((entry) => isWanted(entry, names));
    const excess = wanted.length > FOLDER_ENTRIES_MAX;
    if (excess)
      read.push({ kind: "refused", path: directory, why: `holds more than ${FOLDER_ENTRIES_MAX} entries` });
    for (const { name } of excess ? [] : wanted) {
      const place = { root, path: join(directory, name), kind, scope };
      read.push(await (names === "folders" ? readFolderItem(files, place) : readFileItem(files, place)));
    }
  }
  return {
    items: read.flatMap((found) => (found.kind === "item" ? [found.item] : [])),
    refused: read.flatMap((found) =>
      found.kind === "refused" ? [{ path: found.path, why: found.why }] : [],
    ),
  };
}

/** Lists a folder; a string is the reason why its content cannot be seen. */
async function entriesOf(files: Files, directory: string): Promise<readonly DirectoryEntry[] | string> {
  try {
    if ((await files.stat(directory))?.kind !== "directory") return [];
    return [...(await files.list(directory))].sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    return unreadableProblem(thrown) ?? `cannot be read: ${messageOf(thrown)}`;
  }
}

function isWanted(entry: DirectoryEntry, names: TrustLayout["names"]): boolean {
  return names === "folders" ? isFolder(entry) : isFile(entry, names);
}

/** True also for a link, which may be either: its target decides when it is read. */
function isFolder({ kind }: DirectoryEntry): boolean {
  return kind === "directory" || kind === "symlink";
}

function isFile({ name, kind }: DirectoryEntry, names: RegExp): boolean {
  return kind !== "directory" && names.test(name);
}
