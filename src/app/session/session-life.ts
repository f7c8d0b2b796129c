import type { LogId } from "../../base/ids.ts";
import type { Profile } from "../../config/profile.ts";
import { sessionSection } from "../../config/sections/session-settings.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import { limitsSection } from "../../features/limits/config.ts";
import type { ProgressGuard } from "../../features/limits/guard.ts";
import { progressGuard } from "../../features/limits/guard.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import type { SessionMaterial } from "./session.ts";

export interface LifeSources {
  readonly logId: LogId;
  readonly profile: Profile;
  readonly defaults: Pick<RunDefaults, "config" | "store">;
}

/** When a session ends by itself: as configuration and profile say, and never while it is pinned. */
export async function sessionLife({
  logId,
  profile,
  defaults,
}: LifeSources): Promise<Pick<SessionMaterial, "idleTimeoutMs" | "pinned">> {
  const { config, store } = defaults;
  const pinned = (await store.find(logId))?.pinned ?? false;
  const { idleTimeoutMs } = settingsOf(sessionSection, { config, profile });
  return { idleTimeoutMs, pinned };
}

/** What ends a turn that goes in circles, within the limits of the profile. */
export function guardOf(profile: Profile): ProgressGuard {
  const { repeatedFailures, repeatedResults } = settingsOf(limitsSection, { profile });
  return progressGuard({ failuresMax: repeatedFailures, resultsMax: repeatedResults });
}
