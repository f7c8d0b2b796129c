import { resolve } from "node:path";
import { HarnessError } from "../base/errors.ts";
import { isBelow } from "../base/files/below.ts";
import type { HarnessPaths } from "../base/files/harness-paths.ts";
import type { World } from "../base/world.ts";
import type { CommandOf } from "../protocol/commands/commands.ts";
import type { Config, Profile } from "../session/settings/settings.ts";
import type { LogInfo } from "../session/store/store.ts";
import { DEFAULT_PROFILE, isProfilePath } from "./profile-files.ts";
import { repositoryRoot } from "./repository-root.ts";

/** Returns the name or path of the profile of a run: as requested, as its log names it, or the user's own choice. */
export function profileName(
  { profile }: CommandOf<"CreateSession">,
  before: LogInfo | undefined,
  { defaultProfile = DEFAULT_PROFILE }: Config,
): string {
  const name = profile ?? before?.profile ?? defaultProfile;
  return isProfilePath(name) ? resolve(name) : name; // its log names it, wherever it is gone on with
}

/** Means to look at the files of profiles. */
interface ProfileSources {
  readonly world: Pick<World, "files">;
  readonly paths: Pick<HarnessPaths, "config">;
}

/**
 * A log names the profile that it ran under. A file in the folder that is worked in, be it its preset alone, may have been
 * changed by a model since: whoever goes on with it names it once more.
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
 * Rejects a profile of a task that lies in the repository: a model may have written it, or its preset, since the last run.
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

/** The first file that a profile was read from and that lies in the repository of a folder. */
async function fileWithin(
  workingDir: string,
  of: Pick<Profile, "files">,
  sources: ProfileSources,
): Promise<string | undefined> {
  for (const path of of.files) if (await isFileWithin(workingDir, path, sources)) return path;
  return undefined;
}

/**
 * Returns true if a profile is a file of the repository that a folder belongs to, or of the folder itself. Files in cinch's own
 * folder do not count, wherever it lies: no model writes there.
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
