import { HarnessError } from "../base/errors.ts";
import { isBelow } from "../base/files/below.ts";
import type { HarnessPaths } from "../base/files/harness-paths.ts";
import type { World } from "../base/world.ts";
import type { Config, Profile } from "../session/settings/settings.ts";
import type { LogInfo } from "../session/store/store.ts";
import { DEFAULT_PROFILE } from "./profile-files.ts";
import { isProfilePath, resolveProfile } from "./profile-path.ts";
import { repositoryRoot } from "./repository-root.ts";

/** Choices of a profile, the weightiest first. */
interface ProfileChoices {
  /** Name or path in the flag or the command. */
  readonly named?: string | undefined;
  /** The run that is continued. */
  readonly before?: Pick<LogInfo, "profile"> | undefined;
  readonly config: Pick<Config, "defaultProfile">;
  /** Working directory of the session. A relative path is one of this folder. */
  readonly workingDir: string;
}

/**
 * Returns the name or absolute path of the profile of a session. Default: `default`. Its log keeps what is returned.
 */
export function profileReference({ named, before, config, workingDir }: ProfileChoices): string {
  return resolveProfile(named ?? before?.profile ?? config.defaultProfile ?? DEFAULT_PROFILE, workingDir);
}

/** Access to the files of profiles. */
interface ProfileSources {
  readonly world: Pick<World, "files">;
  readonly paths: Pick<HarnessPaths, "config">;
}

/**
 * Refuses to resume a log under a profile file in its working directory, or with a preset from there: a model may have
 * changed it since. The user must name it again.
 * @throws HarnessError UsageInvalid.
 */
export async function mustBeOutside(
  reference: string,
  of: Pick<Profile, "files">,
  { workingDir }: LogInfo,
  sources: ProfileSources,
): Promise<void> {
  if ((await fileWithin(workingDir, of, sources)) === undefined) return;
  const problem = `the session ran under a profile that lies in the folder it works in, or takes a preset from there, and may have been changed since; look at it, and name it again: --profile ${reference}`;
  throw new HarnessError("UsageInvalid", { problem });
}

/**
 * Rejects a profile of a task that lies in the repository: a model may have written it, or its preset, since the
 * last run.
 * @throws HarnessError UsageInvalid.
 */
export async function assertOutside(
  profile: Pick<Profile, "files">,
  cwd: string,
  sources: ProfileSources,
): Promise<void> {
  const path = await fileWithin(cwd, profile, sources);
  if (path === undefined) return;
  const problem = `${path} lies in the folder it works in, where a model may have changed it; put it among your own profiles, and add the task with --profile NAME`;
  throw new HarnessError("UsageInvalid", { problem });
}

/** Returns the first file of a profile that lies in the repository of a folder. */
async function fileWithin(
  workingDir: string,
  of: Pick<Profile, "files">,
  sources: ProfileSources,
): Promise<string | undefined> {
  for (const path of of.files) if (await isFileWithin(workingDir, path, sources)) return path;
  return undefined;
}

/**
 * Returns true if a profile is a file of the repository that a folder is in, or of the folder itself.
 *
 * Files in cinch's own folder are excepted, wherever it is: no model writes there.
 */
export async function isFileWithin(
  workingDir: string,
  reference: string,
  { world: { files }, paths }: ProfileSources,
): Promise<boolean> {
  if (!isProfilePath(reference) || (await files.stat(reference)) === undefined) return false;
  const root = (await repositoryRoot(files, workingDir)) ?? workingDir;
  const path = await files.realpath(reference);
  if (!isBelow(await files.realpath(root), path)) return false;
  const isOwn =
    (await files.stat(paths.config)) !== undefined && isBelow(await files.realpath(paths.config), path);
  return !isOwn;
}
