import { join } from "node:path";
import { loadProfile } from "../../config/profile.ts";
import { DEFAULT_PROFILE } from "../../config/profile-files.ts";
import { assertOutside } from "../../config/run-profile.ts";
import type { JudgeFiles } from "../../session/guard/trust.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { SessionPlan } from "../../session/plan.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import type { Embedding } from "../engine/options.ts";
import { judgeFilesBy } from "./judge-files.ts";
import { openProfile } from "./profiles/project-profile.ts";
import { SECTIONS } from "./sections.ts";
import type { ConfigPlace } from "./user-config.ts";
import { userConfig } from "./user-config.ts";

/** Settings of a session, read from their files. */
export interface OpenedSettings extends Pick<SessionPlan, "config" | "reference" | "profile"> {
  /** Judges files as a session with these settings does. Records nothing. */
  readonly judge: JudgeFiles;
}

/** Returns the name or path of the profile of a session that starts here: of the flag, of `config.toml`, the default. */
export function chosenProfile({ profile }: { readonly profile?: string }, config: Config): string {
  return profile ?? config.defaultProfile ?? DEFAULT_PROFILE;
}

/** Session whose settings are read. */
export interface SettingsRequest extends Pick<EngineOptions, "world" | "paths" | "workingDir" | "lockfile"> {
  /** Name or path. Default: the one of `config.toml`, else `default`. */
  readonly profile?: string;
  /** Set if a program embeds the engine: its values replace the files. */
  readonly embedding?: Pick<Embedding, "config" | "profile">;
}

/**
 * Reads `config.toml` and the profile of a session that starts here.
 * @throws HarnessError ConfigInvalid, ProfileMissing, TrustRefused.
 */
export async function openSettings(options: SettingsRequest): Promise<OpenedSettings> {
  const config = await userConfig(options);
  return await settingsUnder(chosenProfile(options, config), { ...options, config });
}

/**
 * Reads the profile of a session whose `config.toml` was read.
 * @throws HarnessError ConfigInvalid, ProfileMissing, TrustRefused.
 */
export async function settingsUnder(
  reference: string,
  { config, workingDir, ...options }: Omit<SettingsRequest, "profile"> & { readonly config: Config },
): Promise<OpenedSettings> {
  const { world, paths, embedding } = options;
  const wishes = { lockfile: options.lockfile };
  const judge = judgeFilesBy({ world, paths }, { wishes, config });
  const profile = embedding?.profile ?? (await openProfile(reference, workingDir, { world, paths, judge }));
  return { config, reference, profile, judge: judgeFilesBy({ world, paths }, { wishes, config, profile }) };
}

/**
 * Reads a profile of the user or of the program by its name, or any by its path, as it is.
 * @throws HarnessError ProfileMissing, ConfigInvalid.
 */
export async function namedProfile({ world, paths }: ConfigPlace, name: string): Promise<Profile> {
  return await loadProfile(world, name, join(paths.config, "profiles"), SECTIONS);
}

/**
 * Checks the profile of a scheduled run, which nobody looks at before it: the one that the task names, or the default.
 * @throws HarnessError UsageInvalid if it lies in the folder that the run works in.
 */
export async function checkScheduledProfile(
  options: ConfigPlace,
  named: string | undefined,
  cwd: string,
): Promise<void> {
  const profile = named ?? (await userConfig(options)).defaultProfile;
  if (profile !== undefined) await assertOutside(await namedProfile(options, profile), cwd, options);
}
