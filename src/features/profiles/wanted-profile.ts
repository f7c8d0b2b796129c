import { resolve } from "node:path";
import { checkProfile } from "../../app/explain/check-profile.ts";
import { openProfile } from "../../app/plan/project-profile.ts";
import { HarnessError } from "../../base/errors.ts";
import type { Profile } from "../../config/profile.ts";
import { isProfilePath } from "../../config/profile-files.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { SwitchSources } from "./succession.ts";

/** The profile that a session is to go on under, and what it is loaded by. */
export interface WantedProfile {
  readonly reference: string;
  readonly profile: Profile;
}

export interface WantedSources {
  readonly workspace: SwitchSources["workspace"];
  readonly defaults: Pick<RunDefaults, "world" | "paths" | "lockfile" | "config">;
}

/**
 * Loads the profile that somebody names in a session, and looks at what it names: a rule that is none is told before the
 * session is left. A path is one from the folder that is worked in.
 * @throws HarnessError ProfileMissing, ConfigInvalid, TrustRefused, UnknownToolPack, UnknownSkillPack.
 */
export async function wantedProfile(
  { workspace, defaults }: WantedSources,
  wanted: string,
): Promise<WantedProfile> {
  const reference = isProfilePath(wanted) ? resolve(workspace.root, wanted) : wanted;
  const profile = await openProfile(reference, workspace.root, defaults);
  checkProfile(profile, defaults.config);
  return { reference, profile };
}

/**
 * A conversation cannot go on in place under the profile that it has: nothing would be another thing.
 * @throws HarnessError ProfileInUse.
 */
export function mustBeAnother(wanted: Profile, { profile: used }: Pick<SwitchSources, "profile">): void {
  if (wanted.path === used.path) throw new HarnessError("ProfileInUse", { name: used.name });
}
