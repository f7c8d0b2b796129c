import { dirname, join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { Files, World } from "../../base/world.ts";
import { readFileItem, readFolderItem } from "../../guard/trust/review/read-item.ts";
import type { FoundItems, ProjectContext, TrustItem } from "../../session/guard/trust.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";

/** The files that may name plugins: only the user's own (PLUG-02). */
export interface PluginSettings {
  readonly config: Pick<Config, "plugins">;
  readonly profile: Pick<Profile, "path" | "plugins">;
  readonly paths: Pick<HarnessPaths, "config">;
}

/** Returns the paths named by config.toml, then by a profile in the user's own folder. */
export function pluginPaths({ config, profile, paths }: PluginSettings): readonly string[] {
  return [...new Set([...config.plugins, ...(isOwn(profile, paths) ? profile.plugins : [])])];
}

/** Returns a notice if a profile outside the user's folder names plugins, which are then not loaded. */
export function pluginNotices({ profile, paths }: PluginSettings): readonly string[] {
  if (profile.plugins.length === 0 || isOwn(profile, paths)) return [];
  return [
    `${profile.path}: plugins: has no effect here: only config.toml and the profiles in ${join(paths.config, "profiles")} can name plugins.`,
  ];
}

/** Reads the plugins that the user's own files name. */
export async function readPluginItems({ world, onlyProject, ...names }: ProjectContext): Promise<FoundItems> {
  if (onlyProject) return { items: [], problems: [] };
  return { items: await readPlugins(world, pluginPaths(names)), problems: pluginNotices(names) };
}

function isOwn({ path }: Pick<Profile, "path">, paths: Pick<HarnessPaths, "config">): boolean {
  return dirname(path) === join(paths.config, "profiles");
}

/**
 * Reads plugins: a file, or a folder with all of its files. Each path is read once, and nothing is judged or imported.
 * @throws HarnessError PluginInvalid for one that is missing or unreadable, because the user asked for it.
 */
export async function readPlugins(
  { files }: Pick<World, "files">,
  paths: readonly string[],
): Promise<readonly TrustItem[]> {
  return await Promise.all(paths.map((path) => readPlugin(files, path)));
}

async function readPlugin(files: Files, named: string): Promise<TrustItem> {
  const info = await files.stat(named);
  const invalid = (problem: string) => new HarnessError("PluginInvalid", { from: named, problem });
  if (info === undefined) throw invalid("there is nothing at this path");
  const path = await files.realpath(named);
  const isFolder = info.kind === "directory";
  const root = isFolder ? path : dirname(path);
  const place = { root, path, kind: "plugin", scope: "user" } as const;
  const found = await (isFolder ? readFolderItem : readFileItem)(files, place);
  if (found.kind === "item") return found.item;
  throw invalid(found.kind === "refused" ? `it ${found.why}` : "there is nothing at this path");
}
