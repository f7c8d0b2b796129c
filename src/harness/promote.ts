import { join } from "node:path";
import { HarnessError } from "../base/errors.ts";
import type { Profile } from "../profile/profile.ts";
import { promotedPath, promoteRule } from "../profile/promoted.ts";
import type { Workspace } from "../tool/tool.ts";
import type { RunDefaults } from "./run-parts.ts";
import { isFileWithin } from "./run-profile.ts";

/** The profile that has a rule from now on. */
export interface Promoted {
  readonly profile: string;
  /** The file that the rule was written to. */
  readonly path: string;
  readonly directory?: string;
}

interface PromoteSources {
  readonly profile: Pick<Profile, "name" | "path">;
  readonly workspace: Pick<Workspace, "root">;
  readonly defaults: Pick<RunDefaults, "world" | "paths">;
  readonly everywhere: boolean;
}

/**
 * Writes a rule to the profile of a session, for the session's working directory or everywhere (PERM-07).
 * @throws HarnessError InvalidCommand for a profile of the repository; ConfigInvalid where its file cannot be added to.
 */
export async function promote(
  rule: string,
  { profile, workspace, defaults, everywhere }: PromoteSources,
): Promise<Promoted> {
  const { world, paths } = defaults;
  if (await isFileWithin(workspace.root, profile.path, { world, paths })) {
    throw new HarnessError("InvalidCommand", {
      kind: "PromoteRule",
      why: `the profile ${profile.name} is a file of the repository (${profile.path}), where no rule is written; put it among your own profiles`,
    });
  }
  const path = promotedPath(profile.path, join(paths.config, "profiles"));
  const bound = everywhere ? {} : { directory: workspace.root };
  await world.files.makeDirectory(join(paths.config, "profiles"));
  await promoteRule(world, path, { rule, ...bound });
  return { profile: profile.name, path, ...bound };
}
