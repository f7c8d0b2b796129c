import type { ModelSlot } from "../../app/models/model-slot.ts";
import type { LogId, SessionId } from "../../base/ids.ts";
import type { Profile } from "../../config/profile.ts";
import type { CommandOf } from "../../protocol/commands/commands.ts";
import type { Handover } from "../../session/handover.ts";
import type { OpenedLog } from "../../session/history/resumed-log.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { SpendTotals } from "../../session/spend.ts";
import type { OpenedSession } from "../../session/turns/opened-session.ts";
import type { Workspace } from "../../tools/tool.ts";

export interface SwitchSources {
  readonly session: SessionId;
  readonly logId: LogId;
  readonly profile: Profile;
  /** What the profile can be loaded by: its name, or its path. */
  readonly reference: string;
  readonly slot: Pick<ModelSlot, "name">;
  readonly log: OpenedLog;
  readonly workspace: Pick<Workspace, "root">;
  readonly defaults: RunDefaults;
  /** What was spent in this session and in those whose place it took. */
  readonly spentTogether: () => Promise<SpendTotals>;
  /** What was told of files in this session and in those whose place it took: see `toldKey`. */
  readonly told: Set<string>;
  /** How this run itself began, where it has taken the place of another one. */
  readonly succession?: Handover;
  /** Opens a run with the settings of this one, but for `changes`. */
  reopen(
    request: Omit<CommandOf<"CreateSession">, "kind">,
    succession: Handover,
    changes?: Pick<RunDefaults, "planMode" | "effort">,
  ): Promise<OpenedSession>;
}
