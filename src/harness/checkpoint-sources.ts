import type { LogId } from "../base/ids.ts";
import type { Profile } from "../profile/profile.ts";
import type { Workspace } from "../tools/tool.ts";
import type { RunDefaults } from "./run-parts.ts";

/** What of a session its checkpoints are made of. */
export interface CheckpointSources {
  readonly logId: LogId;
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly defaults: RunDefaults;
}
