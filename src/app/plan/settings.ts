import { join } from "node:path";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/config.ts";
import type { Profile } from "../../config/profile.ts";
import { loadProfile } from "../../config/profile.ts";
import { DEFAULT_PROFILE } from "../../config/profile-files.ts";
import { assertOutside } from "../../config/run-profile.ts";
import type { HarnessOptions } from "../engine/options.ts";
import { openProfile } from "./project-profile.ts";
import { SECTIONS } from "./sections.ts";

/** The files that the settings of a session come from, read. */
export interface OpenedSettings {
  readonly config: Config;
  /** The name or path that loaded the profile. */
  readonly reference: string;
  readonly profile: Profile;
}

type Places = Pick<HarnessOptions, "world" | "paths" | "embedding">;

/**
 * Reads the user's `config.toml`; an embedded engine has values instead. Everything that needs it calls this function, or is
 * given its result.
 * @throws HarnessError ConfigInvalid with file, line and key.
 */
export async function userConfig({ world, paths, embedding }: Places): Promise<Config> {
  return embedding?.config ?? (await loadConfig(world, join(paths.config, "config.toml"), SECTIONS));
}

/** Returns the name or path of the profile of a session that begins here: of the flag, of `config.toml`, the default. */
export function chosenProfile({ profile }: { readonly profile?: string }, config: Config): string {
  return profile ?? config.defaultProfile ?? DEFAULT_PROFILE;
}

/**
 * Reads the configuration, and the profile of a session that begins here.
 * @throws HarnessError ConfigInvalid, ProfileMissing, TrustRefused.
 */
export async function openSettings(
  options: Places &
    Pick<HarnessOptions, "workingDir"> & { readonly profile?: string; readonly lockfile?: string },
): Promise<OpenedSettings> {
  const config = await userConfig(options);
  const reference = chosenProfile(options, config);
  return { config, reference, profile: await openProfile(reference, options.workingDir, options) };
}

/**
 * Reads a profile of the user or of the program by its name, or any by its path, as it is.
 * @throws HarnessError ProfileMissing, ConfigInvalid.
 */
export async function namedProfile({ world, paths }: Places, name: string): Promise<Profile> {
  return await loadProfile(world, name, join(paths.config, "profiles"), SECTIONS);
}

/**
 * Checks the profile of a scheduled run, which nobody looks at before it: the one that the task names, or the default.
 * @throws HarnessError UsageInvalid if it lies in the folder that the run works in.
 */
export async function checkScheduledProfile(
  options: Places,
  named: string | undefined,
  cwd: string,
): Promise<void> {
  const profile = named ?? (await userConfig(options)).defaultProfile;
  if (profile !== undefined) await assertOutside(await namedProfile(options, profile), cwd, options);
}
