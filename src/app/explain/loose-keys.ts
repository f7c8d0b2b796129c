import { join } from "node:path";
import type { World } from "../../base/world.ts";
import { configKeys } from "../../config/config.ts";
import { profileKeys } from "../../config/profile.ts";
import { EMBEDDED, positionText } from "../../config/profile-files.ts";
import { mergeKey } from "../../config/settings/merge.ts";
import { writtenDefault } from "../../config/settings/read-section.ts";
import { inOrder } from "../../config/settings/settings.ts";
import type { WrittenKey } from "../../config/settings/written-keys.ts";
import type { Mistake } from "../../session/config-section.ts";
import type { FeatureSet } from "../plan/feature-set.ts";

interface UserFiles extends Pick<FeatureSet, "sections"> {
  readonly world: Pick<World, "files">;
  /** The folder of `config.toml` and `profiles/`. */
  readonly folder: string;
  /** Name or path of the profile that a session would have. */
  readonly profile: string;
}

/**
 * Returns a warning for each value of a project that does not count because the user's own is tighter. The files must
 * be free of errors.
 */
export async function looseKeyMistakes(
  keys: readonly WrittenKey[],
  { world, folder, profile, sections }: UserFiles,
): Promise<readonly Mistake[]> {
  const restricting = keys.filter(
    ({ declared, merge, value }) => declared.project === "restrict" && merge !== "add" && value !== undefined,
  );
  if (restricting.length === 0) return [];
  const inConfig = await configKeys(world, join(folder, "config.toml"), sections);
  const inProfile = await profileKeys(world, profile, join(folder, "profiles"), sections);
  const isOwnProfile = inProfile[0]?.path.startsWith(EMBEDDED) === false;
  return restricting.flatMap(({ id, declared, merge, value, ...where }) => {
    const project = { value, from: "project" };
    const declaredRows = inOrder(declared, {
      flag: [],
      config: writtenKey(inConfig, id),
      profile: writtenKey(inProfile, id),
      isOwnProfile,
    });
    const fallback = { value: writtenDefault(declared, {}) ?? null, from: "the default" };
    const [counts] = mergeKey(declared, merge, { userValues: declaredRows, project: [project], fallback });
    if (counts === undefined || counts.from === project.from || counts.value === value) return [];
    const problem = `has no effect: yours is tighter, ${JSON.stringify(counts.value)} (${counts.from})`;
    const { path, line, key } = where;
    return [{ weight: "warning" as const, path, line, key, problem }];
  });
}

function writtenKey(keys: readonly WrittenKey[], id: string) {
  return keys.flatMap(({ id: each, value, path, line }) =>
    each === id && value !== undefined ? [{ value, from: positionText({ path, line }) }] : [],
  );
}
