import { resolve } from "node:path";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import type { Config } from "../../config/config.ts";
import { isProfilePath } from "../../config/profile-files.ts";
import type { SessionPlan } from "../../session/plan.ts";
import { checkProfile } from "../explain/check-profile.ts";
import { openProfile } from "./project-profile.ts";

/** Session that a profile is loaded for. */
export interface SwitchFrom {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly root: string;
  readonly config: Config;
  readonly lockfile: string | undefined;
}

/**
 * Loads the profile that somebody names in a session and checks everything it names, so that a wrong rule is reported before
 * the session is left. A path is relative to the working directory.
 * @throws HarnessError ProfileMissing, ConfigInvalid, TrustRefused, UnknownToolPack, UnknownSkillPack.
 */
export async function profileToSwitch(
  { root, config, lockfile, ...sources }: SwitchFrom,
  wanted: string,
): Promise<Pick<SessionPlan, "reference" | "profile">> {
  const reference = isProfilePath(wanted) ? resolve(root, wanted) : wanted;
  const place = lockfile === undefined ? sources : { ...sources, lockfile };
  const profile = await openProfile(reference, root, place);
  checkProfile(profile, config);
  return { reference, profile };
}
