import { CONFORMANCE_PROFILE, EMBEDDED } from "../../config/profile-files.ts";
import { modelSection } from "../../config/sections/models.ts";
import { givenValues } from "../../config/settings/settings.ts";
import type { Handover } from "../../session/handover.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import type { LogInfo } from "../../session/store/store.ts";
import type { Preferences } from "./providers.ts";

/** Returns the model that an embedded profile is made for, which no preference of the user replaces. */
export function scriptedModel({ path, defaultModel }: Profile): string | undefined {
  return path === `${EMBEDDED}${CONFORMANCE_PROFILE}` ? defaultModel : undefined;
}

/**
 * Returns the models that a session prefers, the weightiest first: the one it had before, then those of the user's own
 * files. The model of an embedded profile is a suggestion for a user without preferences.
 */
export function preferredModels(before: LogInfo | undefined, profile: Profile, config: Config): Preferences {
  const isOwn = !profile.path.startsWith(EMBEDDED);
  const { defaultModel } = profile;
  const named = namedModels(profile, config, isOwn);
  const preferred = [before?.model, ...named].filter((model) => model !== undefined);
  return { preferred, ...(isOwn || defaultModel === undefined ? {} : { suggested: defaultModel }) };
}

/**
 * Returns the models of a session under another profile. The model that it had is the last of them, and
 * always available.
 */
export function modelsAfterSwitch({ model }: Handover, profile: Profile, config: Config): Preferences {
  return { preferred: [...namedModels(profile, config, true), model] };
}

/** Returns the models that the files name, the weightiest first. */
function namedModels(profile: Profile, config: Config, withProfile: boolean): readonly string[] {
  const sources = withProfile ? { config, profile } : { config };
  return givenValues(modelSection, "defaultModel", sources).map(({ value }) => String(value));
}
