import type { LogId } from "../../base/ids.ts";
import type { Profile } from "../../config/profile.ts";
import type { ProgressGuard } from "../../features/limits/guard.ts";
import { progressGuard, REPEATED_FAILURES_MAX, REPEATED_RESULTS_MAX } from "../../features/limits/guard.ts";
import type { RunDefaults } from "../../session/plan/run-parts.ts";
import { IDLE_TIMEOUT_MS } from "../../session/turns/idle-watch.ts";
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
  const idleTimeoutMs = config.session?.idleTimeoutMs ?? profile.session?.idleTimeoutMs ?? IDLE_TIMEOUT_MS;
  return { idleTimeoutMs, pinned };
}

/** What ends a turn that goes in circles, within the limits of the profile. */
export function guardOf({ limits }: Profile): ProgressGuard {
  return progressGuard({
    failuresMax: limits.repeatedFailures ?? REPEATED_FAILURES_MAX,
    resultsMax: limits.repeatedResults ?? REPEATED_RESULTS_MAX,
  });
}
