import type { LogId } from "../../base/ids.ts";
import type { Profile } from "../../config/profile.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { Workspace } from "../../tools/tool.ts";

/** What of a session its checkpoints are made of. */
export interface CheckpointSources {
  readonly logId: LogId;
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly defaults: RunDefaults;
}
