import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import type { DirectoryEntry, Files } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { TrustItem, TrustKind, TrustScope } from "../../../session/guard/trust.ts";
import type { ReadItem } from "./read-item.ts";
import { readFileItem, readFolderItem } from "./read-item.ts";

/** Items of a folder that would be loaded, and files at their paths that never are. */
export interface FolderItems {
  readonly items: readonly TrustItem[];
  /** Absolute paths, each with a sentence that gives the reason. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** A folder with files of one kind, by the pattern of their names, or with folders that are one item each. */
interface Layout {
  readonly folder: string;
  readonly kind: TrustKind;
  readonly names: RegExp | "folders";
}

/** Items of a project, below its root. A single file is listed by its folder and name. */
const PROJECT: readonly Layout[] = [
  { folder: ".cinch", kind: "config", names: /^config\.toml$/ },
  { folder: ".cinch", kind: "permission-preset", names: /^permissions\.toml$/ },
  { folder: ".cinch", kind: "alias-file", names: /^aliases\.toml$/ },
  { folder: ".cinch", kind: "hook", names: /^hooks\.toml$/ },
  { folder: ".cinch", kind: "mcp", names: /^mcp\.(?:toml|json)$/ },
  { folder: ".cinch", kind: "profile", names: /^profile\.toml$/ },
  { folder: ".cinch/hooks", kind: "hook", names: /./ },
  { folder: ".cinch/profiles", kind: "profile", names: /\.toml$/ },
  { folder: ".cinch/profiles/preset", kind: "permission-preset", names: /\.toml$/ },
  { folder: ".cinch/agents", kind: "agent", names: /\.md$/ },
  { folder: ".cinch/prompts", kind: "prompt-template", names: /\.md$/ },
  { folder: ".cinch/skills", kind: "skill", names: "folders" },
  { folder: ".agents/skills", kind: "skill", names: "folders" },
  { folder: ".agents/agents", kind: "agent", names: /\.md$/ },
  { folder: ".agents/prompts", kind: "prompt-template", names: /\.md$/ },
];

/** Items of the user's configuration folder. Its hooks are trusted: they are the user's. */
const USER: readonly Layout[] = [
  { folder: ".", kind: "alias-file", names: /^aliases\.toml$/ },
  { folder: "skills", kind: "skill", names: "folders" },
  { folder: "agents", kind: "agent", names: /\.md$/ },
  { folder: "prompts", kind: "prompt-template", names: /\.md$/ },
];

/** Items of `.agents` in the user's home, which other programs share. */
const HOME: readonly Layout[] = [{ folder: "skills", kind: "skill", names: "folders" }];

const FOLDER_ENTRIES_MAX = 256;

/**
 * Reads every file of a project's `.cinch/` and `.agents/` that cinch would load, once, without judging it (TOFU-01).
 * A project is a repository, identified by its root; files in a nested repository belong to that one (S41).
 */
export async function readProjectItems(
  files: Files,
  root: string,
  only?: readonly TrustKind[],
): Promise<FolderItems> {
  return await find(files, root, { layouts: layoutsOf(PROJECT, only), scope: "project" });
}

/** Reads the same from the user's configuration folder. */
export async function readUserItems(
  files: Files,
  configDirectory: string,
  only?: readonly TrustKind[],
): Promise<FolderItems> {
  if ((await files.stat(configDirectory))?.kind !== "directory") return { items: [], refused: [] };
  const root = await files.realpath(configDirectory);
  return await find(files, root, { layouts: layoutsOf(USER, only), scope: "user" });
}

/** Reads the same from `~/.agents`, which the user shares between programs. */
export async function readSharedItems(
  files: Files,
  home: string,
  only?: readonly TrustKind[],
): Promise<FolderItems> {
  const folder = join(home, ".agents");
  if ((await files.stat(folder))?.kind !== "directory") return { items: [], refused: [] };
  const root = await files.realpath(folder);
  return await find(files, root, { layouts: layoutsOf(HOME, only), scope: "user" });
}

function layoutsOf(all: readonly Layout[], only: readonly TrustKind[] | undefined): readonly Layout[] {
  return only === undefined ? all : all.filter(({ kind }) => only.includes(kind));
}

async function find(
  files: Files,
  root: string,
  { layouts, scope }: { readonly layouts: readonly Layout[]; readonly scope: TrustScope },
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
    const wanted = entries.filter((entry) => (names === "folders" ? isFolder(entry) : isFile(entry, names)));
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
    return `cannot be read: ${messageOf(thrown)}`;
  }
}

/** True also for a link, which may be either: its target decides when it is read. */
function isFolder({ kind }: DirectoryEntry): boolean {
  return kind === "directory" || kind === "symlink";
}

function isFile({ name, kind }: DirectoryEntry, names: RegExp): boolean {
  return kind !== "directory" && names.test(name);
}
