import { resolveProfile } from "../../../config/profile-path.ts";
import type { SessionPlan } from "../../../session/plan.ts";
import type { Config } from "../../../session/settings/settings.ts";
import { checkProfile } from "../../explain/check-profile.ts";
import type { SettingsRequest } from "../settings.ts";
import { settingsUnder } from "../settings.ts";

/** Session that a profile is loaded for. */
export interface SwitchFrom
  extends Pick<SettingsRequest, "world" | "paths" | "wishes" | "embedding" | "features"> {
  readonly root: string;
  readonly config: Config;
}

/**
 * Loads a profile for a switch and checks everything it names. A wrong rule is then reported before the session ends.
 * A path is relative to the working directory.
 * @throws HarnessError ProfileMissing, ConfigInvalid, TrustRefused, UnknownToolPack, UnknownSkillPack.
 */
export async function profileToSwitch(
  { root, config, ...sources }: SwitchFrom,
  wanted: string,
): Promise<Pick<SessionPlan, "reference" | "profile">> {
  const reference = resolveProfile(wanted, root);
  const { profile } = await settingsUnder(reference, { ...sources, config, workingDir: root });
  checkProfile(profile, config, sources.features);
  return { reference, profile };
}
