import { resolve } from "node:path";
import { isProfilePath } from "../../../config/profile-files.ts";
import type { EngineOptions } from "../../../session/options.ts";
import type { SessionPlan } from "../../../session/plan.ts";
import type { Config } from "../../../session/settings/settings.ts";
import { checkProfile } from "../../explain/check-profile.ts";
import { settingsUnder } from "../settings.ts";

/** Session that a profile is loaded for. */
export interface SwitchFrom extends Pick<EngineOptions, "world" | "paths" | "lockfile"> {
  readonly root: string;
  readonly config: Config;
}

/**
 * Loads the profile that somebody names in a session and checks everything it names, so that a wrong rule is reported before
 * the session is left. A path is relative to the working directory.
 * @throws HarnessError ProfileMissing, ConfigInvalid, TrustRefused, UnknownToolPack, UnknownSkillPack.
 */
export async function profileToSwitch(
  { root, config, ...sources }: SwitchFrom,
  wanted: string,
): Promise<Pick<SessionPlan, "reference" | "profile">> {
  const reference = isProfilePath(wanted) ? resolve(root, wanted) : wanted;
  const { profile } = await settingsUnder(reference, { ...sources, config, workingDir: root });
  checkProfile(profile, config);
  return { reference, profile };
}
