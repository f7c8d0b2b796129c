import { dirname, join } from "node:path";
import type { Files } from "../../base/world.ts";
import type { Mistake } from "../../config/mistakes.ts";
import { mistakesIn } from "../../config/mistakes.ts";
import { projectConfig, projectKeys, projectPermissions } from "../../config/project.ts";
import type { WrittenKey } from "../../config/settings/written-keys.ts";
import type { Following } from "../../config/table.ts";
import type { ConfiguredHook } from "../../features/hooks/config.ts";
import { parseAcknowledgedHooks, readHookFile } from "../../features/hooks/hook-files.ts";
import { userHookFiles } from "../../features/hooks/open.ts";
import { readAcknowledgedServers } from "../../features/mcp/declared/declared-servers.ts";
import { parseAliases } from "../../features/prompts/aliases.ts";
import { readProjectItems, readUserItems } from "../../guard/trust/review/find-items.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { Profile } from "../../session/settings/settings.ts";
import { projectRoot } from "../plan/profiles/project-profile.ts";
import { SECTIONS } from "../plan/sections.ts";

/** The rules and hooks of one file. */
export interface Said extends Pick<Profile, "permissions"> {
  readonly hooks: readonly ConfiguredHook[];
}

/** Files of a project that steer a session there, with their mistakes. */
export interface ProjectLook {
  /** Its profiles, by their paths. */
  readonly profiles: readonly string[];
  /** The other files that were checked. */
  readonly files: readonly FileLook[];
}

interface FileLook {
  readonly path: string;
  readonly said: Said;
  readonly mistakes: readonly Mistake[];
  /** Settings that the file may hold; none for files of other kinds, and for a file with mistakes. */
  readonly keys: readonly WrittenKey[];
}

const NOTHING: Said = { permissions: { rules: [] }, hooks: [] };
const KINDS = ["config", "permission-preset", "hook", "mcp", "alias-file", "profile"] as const;

/** Looks through the settings, hooks, servers and aliases of the project of a folder, be they acknowledged or not. */
export async function lookThroughProject(files: Files, workingDir: string): Promise<ProjectLook> {
  const root = await projectRoot(files, workingDir);
  const { items } = await readProjectItems(files, root, KINDS);
  const profiles = items.filter(({ kind }) => kind === "profile").map(({ path }) => path);
  const looked: FileLook[] = [];
  for (const item of items) {
    const read = readerOf(item, root);
    if (read === undefined) continue;
    const look = await lookThrough(item.path, read, weightOf(item));
    looked.push({ ...look, keys: look.mistakes.length === 0 ? await settingsOf(item) : [] });
  }
  return { profiles, files: looked };
}

/** The same for the user's own hooks and aliases, below their configuration folder. */
export async function lookThroughUsers(files: Files, folder: string): Promise<readonly FileLook[]> {
  const looked: FileLook[] = [];
  for (const path of await userHookFiles(files, join(folder, "hooks"))) {
    const read = async (following: Following) => ({
      ...NOTHING,
      hooks: await readHookFile(files, path, following),
    });
    looked.push(await lookThrough(path, read, "error"));
  }
  const { items } = await readUserItems(files, folder, ["alias-file"]);
  for (const item of items) {
    const read = readerOf(item, folder);
    if (read !== undefined) looked.push(await lookThrough(item.path, read, weightOf(item)));
  }
  return looked;
}

async function settingsOf({ kind, path, files: [file] }: TrustItem): Promise<readonly WrittenKey[]> {
  if (file === undefined || (kind !== "config" && kind !== "permission-preset")) return [];
  return await projectKeys({ path, bytes: file.bytes }, kind, SECTIONS);
}

/** Without its servers or aliases a session begins all the same. */
function weightOf({ kind }: TrustItem): Mistake["weight"] {
  return kind === "mcp" || kind === "alias-file" ? "warning" : "error";
}

async function lookThrough(
  path: string,
  read: (following: Following) => Promise<Said>,
  weight: Mistake["weight"],
): Promise<FileLook> {
  const { value: said = NOTHING, mistakes } = await mistakesIn(read);
  return { path, said, mistakes: mistakes.map((each) => ({ ...each, weight })), keys: [] };
}

/** Returns the reader that a session uses for a file; undefined for scripts, and for presets, which are read with their profile. */
function readerOf(
  { kind, path, files: [file] }: TrustItem,
  root: string,
): ((following: Following) => Promise<Said>) | undefined {
  if (file === undefined || !/\.(?:toml|json)$/.test(path)) return undefined;
  const { bytes } = file;
  switch (kind) {
    case "config":
      return async (following) => ({
        ...NOTHING,
        ...(await projectConfig({ path, bytes }, SECTIONS, following)),
      });
    case "permission-preset":
      if (dirname(path) !== join(root, ".cinch")) return undefined;
      return async (following) => ({ ...NOTHING, ...(await projectPermissions({ path, bytes }, following)) });
    case "hook":
      if (!path.endsWith(".toml")) return undefined;
      return async (following) => ({
        ...NOTHING,
        hooks: await parseAcknowledgedHooks({ path, bytes }, following),
      });
    case "mcp":
      return async (following) => {
        await readAcknowledgedServers({ path, bytes }, following);
        return NOTHING;
      };
    case "alias-file":
      return async (following) => {
        await parseAliases({ path, bytes }, following);
        return NOTHING;
      };
    default:
      return undefined;
  }
}
