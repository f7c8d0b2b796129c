import type { ModelSlot } from "../../app/models/model-slot.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { Profile } from "../../config/profile.ts";
import type { SessionPlugins } from "../../features/plugins/session-plugins.ts";
import type { SwitchSources } from "../../features/profiles/succession.ts";
import type { ProjectTrust } from "../../guard/trust/project-trust.ts";
import type { Redactor } from "../../safety/redact.ts";
import type { Workspace } from "../../tools/tool.ts";
import type { OpenedLog } from "../history/resumed-log.ts";
import type { RunDefaults } from "./run-parts.ts";

/** What a session is composed of, once everything was opened. */
export interface RunMaterial {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly profile: Profile;
  readonly trust: ProjectTrust;
  readonly log: OpenedLog;
  readonly workspace: Workspace;
  /** Takes out the secrets that are known: keys, and those of the session's environment. */
  readonly secrets: Redactor;
  readonly slot: ModelSlot;
  readonly defaults: RunDefaults;
  /** Absent: nothing names any. */
  readonly plugins?: SessionPlugins;
  /** Where it stands among the sessions that took each other's place. */
  readonly place: Pick<SwitchSources, "reference" | "succession" | "told" | "reopen">;
  /** What is freed when the session has ended, or when it cannot be composed. */
  readonly close: AsyncDisposable;
}
