import { assertOutside } from "../../config/run-profile.ts";
import { configuredProviders } from "../engine/open-store.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { checkNamedModel } from "../models/model-check.ts";
import { profileToSwitch } from "../plan/profiles/profile-to-switch.ts";

/**
 * Looks at the profile and the model that are named for work that is done later. The key of a model may be there
 * only then.
 * @returns sentences for the person.
 * @throws HarnessError as a session under them would: ProfileMissing, ConfigInvalid, UnknownProvider, UnknownModel …
 */
export async function checkForLater(
  options: HarnessOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { world, profile, model } = options;
  const { config, providers } = await configuredProviders(options);
  if (profile !== undefined) {
    const named = await profileToSwitch({ ...options, root: options.workingDir, config }, profile);
    await assertOutside(named.profile, options.workingDir, options);
  }
  if (model === undefined) return [];
  return await checkNamedModel(model, { providers, config, world }, signal);
}
