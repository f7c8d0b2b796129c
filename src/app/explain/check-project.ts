import { dirname, join, relative } from "node:path";
import type { Files } from "../../base/world.ts";
import { mistakesIn } from "../../config/mistakes.ts";
import { projectConfig, projectKeys, projectPermissions } from "../../config/project.ts";
import type { WrittenKey } from "../../config/settings/written-keys.ts";
import type { Following } from "../../config/table.ts";
import { readSettings } from "../../guard/trust/project-files.ts";
import { readProjectItems, SETTINGS_FILES } from "../../guard/trust/review/find-items.ts";
import type { Mistake } from "../../session/config-section.ts";
import type { TrustItem } from "../../session/guard/trust.ts";
import type { Profile, ProjectSettings } from "../../session/settings/settings.ts";
import type { FeatureSet } from "../plan/feature-set.ts";
import { projectRoot } from "../plan/profiles/project-profile.ts";

/** Settings and aliases of a project, with their mistakes. */
export interface ProjectReport {
  /** Root of the project, resolved. */
  readonly root: string;
  /** Its profiles, by their paths. */
  readonly profiles: readonly string[];
  /** Its own settings. */
  readonly files: readonly SettingsReport[];
  /** Sentences about its files that exist and are not read, as a session shows them. */
  readonly problems: readonly string[];
}

interface SettingsReport extends Pick<Profile, "permissions"> {
  readonly path: string;
  readonly mistakes: readonly Mistake[];
  /** Settings that the file holds; none for a file with mistakes. */
  readonly keys: readonly WrittenKey[];
}

/** Reads the settings of the project of a folder, acknowledged or not, and returns their mistakes. */
export async function reportOnProject(
  files: Files,
  workingDir: string,
  { features, sections }: FeatureSet,
): Promise<ProjectReport> {
  const root = await projectRoot(files, workingDir);
  const layouts = [...SETTINGS_FILES, ...features.flatMap(({ trust }) => trust?.layouts ?? [])];
  const { items, refused } = await readProjectItems(files, root, layouts);
  const unread = refused.map(({ path, why }) => `${relative(root, path)} ${why}.`);
  const { problems } = await readSettings({ files }, root);
  const profiles = items.filter(({ kind }) => kind === "profile").map(({ path }) => path);
  const looked: SettingsReport[] = [];
  for (const item of items) {
    const read = readerOf(item, { root, sections });
    if (read === undefined) continue;
    const { value, mistakes } = await mistakesIn(read);
    const keys = mistakes.length === 0 ? await settingsOf(item, sections) : [];
    const { permissions = { rules: [] } } = value ?? {};
    looked.push({ path: item.path, permissions, mistakes, keys });
  }
  return { root, profiles, files: looked, problems: [...new Set([...problems, ...unread])] };
}

async function settingsOf(
  { kind, path, files: [file] }: TrustItem,
  sections: FeatureSet["sections"],
): Promise<readonly WrittenKey[]> {
  if (file === undefined || (kind !== "config" && kind !== "permission-preset")) return [];
  return await projectKeys({ path, bytes: file.bytes }, kind, sections);
}

/** Returns the reader that a session uses for a file; undefined for presets of profiles, which are read with them. */
function readerOf(
  { kind, path, files: [file] }: TrustItem,
  { root, sections }: Pick<FeatureSet, "sections"> & { readonly root: string },
): ((following: Following) => Promise<ProjectSettings>) | undefined {
  if (file === undefined) return undefined;
  const { bytes } = file;
  if (kind === "config") return (following) => projectConfig({ path, bytes }, sections, following);
  if (kind !== "permission-preset" || dirname(path) !== join(root, ".cinch")) return undefined;
  return (following) => projectPermissions({ path, bytes }, following);
}
