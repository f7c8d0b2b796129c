import { defined } from "../../base/defined.ts";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import type { World } from "../../base/world.ts";
import { trustSection } from "../../config/sections/trust.ts";
import type { SettingsSources } from "../../config/settings/settings.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { JudgeFiles } from "../../session/guard/trust.ts";

/** Paths of the user's approvals, and the permission to add to them. */
export interface ApprovalOptions {
  readonly world: World;
  readonly paths: HarnessPaths;
  /** Records a change that needs no question as acknowledged. Default: false, for reports. */
  readonly records?: boolean;
}

/**
 * Returns how files are judged in a session with these settings: by the user's approvals, by the lock file of flag or
 * `config.toml`, and by `promote_prose`. Every judgement about trust is made here, so that no two can disagree.
 */
export function judgeFilesBy(
  { world, paths, records = false }: ApprovalOptions,
  sources: SettingsSources,
): JudgeFiles {
  const { lockfile, promoteProse } = settingsOf(trustSection, sources);
  return async (items, root) => {
    const { judgeItems } = await import("../../guard/trust/trust-gate.ts");
    const approvals = { world, paths, ...defined({ lockfile }) };
    return await judgeItems(approvals, items, { root, promoteProse, records });
  };
}
