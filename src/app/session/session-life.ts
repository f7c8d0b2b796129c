import type { LogId } from "../../base/ids.ts";
import { sessionSection } from "../../config/sections/session-settings.ts";
import { settingsOf } from "../../config/settings/settings.ts";
import type { Config, Profile } from "../../session/settings/settings.ts";
import type { SessionStore } from "../../session/store/store.ts";
import type { ComposeDependencies } from "./chains/compose-session.ts";

/** Returns when a session ends by itself, by configuration and profile: never while it is pinned. */
export async function sessionLife({
  logId,
  isOld,
  profile,
  config,
  store,
}: {
  readonly logId: LogId;
  /** True for a log of an earlier run: only such a one can be pinned. */
  readonly isOld: boolean;
  readonly profile: Profile;
  readonly config: Config;
  readonly store: Pick<SessionStore, "find">;
}): Promise<Pick<ComposeDependencies, "idleTimeoutMs" | "pinned">> {
  const pinned = isOld && ((await store.find(logId))?.pinned ?? false);
  const { idleTimeoutMs } = settingsOf(sessionSection, { config, profile });
  return { idleTimeoutMs, pinned };
}
