import type { Config } from "../../config/config.ts";
import type { Profile } from "../../config/profile.ts";
import { EMBEDDED } from "../../config/profile-files.ts";
import { modelSection } from "../../config/sections/models.ts";
import { givenValues } from "../../config/settings/settings.ts";
import type { Handover } from "../../session/handover.ts";
import type { LogInfo } from "../../session/store/store.ts";
import type { Preferences } from "./providers.ts";

/** The model that an embedded profile is about: what the user would rather have is none for it. */
export function scriptedModel({ path, defaultModel }: Profile): string | undefined {
  return path === `${EMBEDDED}conformance` ? defaultModel : undefined;
}

/**
 * The models that a session would rather have, the weightiest first: the one it had before, then those of the user's
 * own files. What an embedded profile names is a suggestion for who has said nothing.
 */
export function preferredModels(before: LogInfo | undefined, profile: Profile, config: Config): Preferences {
  const isOwn = !profile.path.startsWith(EMBEDDED);
  const { defaultModel } = profile;
  const named = namedModels(profile, config, isOwn);
  const preferred = [before?.model, ...named].filter((model) => model !== undefined);
  return { preferred, ...(isOwn || defaultModel === undefined ? {} : { suggested: defaultModel }) };
}

/** What a session goes on with under another profile. The model that it had is the last of them, and is always there. */
export function succeedingModels({ model }: Handover, profile: Profile, config: Config): Preferences {
  return { preferred: [...namedModels(profile, config, true), model] };
}

/** The models that the files name, the weightiest first. */
function namedModels(profile: Profile, config: Config, withProfile: boolean): readonly string[] {
  const sources = withProfile ? { config, profile } : { config };
  return givenValues(modelSection, "defaultModel", sources).map(({ value }) => String(value));
}
