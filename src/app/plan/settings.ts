import { join } from "node:path";
import { loadProfile } from "../../config/profile.ts";
import { listProfiles } from "../../config/profile-files.ts";
import { assertOutside, profileReference } from "../../config/run-profile.ts";
import type { JudgeFiles } from "../../session/guard/trust.ts";
import type { EngineOptions } from "../../session/options.ts";
import type { SessionPlan, SessionWishes } from "../../session/plan.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import type { Embedding } from "../engine/options.ts";
import type { FeatureSet } from "./feature-set.ts";
import { judgeFilesBy } from "./judge-files.ts";
import { openProfile } from "./profiles/project-profile.ts";
import type { ConfigOptions } from "./user-config.ts";
import { userConfig } from "./user-config.ts";

/** Settings of a session, read from their files. */
export interface OpenedSettings extends Pick<SessionPlan, "config" | "reference" | "profile"> {
  /** Judges files as a session with these settings does. Records nothing. */
  readonly judge: JudgeFiles;
}

/**
 * Returns the name or path of the profile of a session that starts here: of the flag as it was typed, of
 * `config.toml`, the default.
 * @throws HarnessError ConfigInvalid.
 */
export async function profileHere(options: SettingsRequest): Promise<string> {
  const { profile, workingDir } = options;
  return profile ?? profileReference({ config: await userConfig(options), workingDir });
}

/** Session whose settings are read. */
export interface SettingsRequest extends Pick<EngineOptions, "world" | "paths" | "workingDir"> {
  readonly wishes: Pick<SessionWishes, "lockfile">;
  /** Name or path. Default: the one of `config.toml`, else `default`. */
  readonly profile?: string;
  /** Set if a program embeds the engine: its values replace the files. */
  readonly embedding?: Pick<Embedding, "config" | "profile">;
  /** Features whose sections the files may have. */
  readonly features: FeatureSet;
}

/**
 * Reads `config.toml` and the profile of a session that starts here.
 * @throws HarnessError ConfigInvalid, ProfileMissing, TrustRefused.
 */
export async function openSettings(options: SettingsRequest): Promise<OpenedSettings> {
  const config = await userConfig(options);
  const { profile = profileReference({ config, workingDir: options.workingDir }) } = options;
  return await settingsUnder(profile, { ...options, config });
}

/**
 * Reads the profile of a session whose `config.toml` was read.
 * @throws HarnessError ConfigInvalid, ProfileMissing, TrustRefused.
 */
export async function settingsUnder(
  reference: string,
  { config, workingDir, ...options }: Omit<SettingsRequest, "profile"> & { readonly config: Config },
): Promise<OpenedSettings> {
  const {
    world,
    paths,
    wishes,
    embedding,
    features: { sections },
  } = options;
  const judge = judgeFilesBy({ world, paths }, { wishes, config });
  const profile =
    embedding?.profile ?? (await openProfile(reference, workingDir, { world, paths, judge, sections }));
  return { config, reference, profile, judge: judgeFilesBy({ world, paths }, { wishes, config, profile }) };
}

/**
 * Reads a profile of the user or of the program by its name, or any by its path, as it is.
 * @throws HarnessError ProfileMissing, ConfigInvalid.
 */
export async function namedProfile(
  { world, paths, features: { sections } }: ConfigOptions,
  name: string,
): Promise<Profile> {
  return await loadProfile(world, name, join(paths.config, "profiles"), sections);
}

/** Lists every profile that can be named here: the user's own, and those of the program that none of these replaces. */
export async function profilesOf({
  world,
  paths,
}: Pick<ConfigOptions, "world" | "paths">): ReturnType<typeof listProfiles> {
  return await listProfiles(world, join(paths.config, "profiles"));
}

/**
 * Checks the profile of a scheduled run, which nobody looks at before it: the one that the task names, or the default.
 * @throws HarnessError UsageInvalid if it lies in the folder that the run works in.
 */
export async function checkScheduledProfile(
  options: ConfigOptions,
  named: string | undefined,
  cwd: string,
): Promise<void> {
  const config = await userConfig(options);
  if (named === undefined && config.defaultProfile === undefined) return;
  const reference = profileReference({ named, config, workingDir: cwd });
  await assertOutside(await namedProfile(options, reference), cwd, options);
}
