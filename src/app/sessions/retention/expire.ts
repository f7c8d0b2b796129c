import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { World } from "../../../base/world.ts";
import type { Config } from "../../../session/settings/settings.ts";
import type { RetentionPlan } from "../../../session/store/retention.ts";
import { dayBefore, planRetention } from "../../../session/store/retention.ts";
import type { LogInfo, SessionStore } from "../../../session/store/store.ts";
import type { FeatureSet } from "../../plan/feature-set.ts";
import { expireLogFiles } from "./log-files.ts";
import { plannedRetention } from "./sweep.ts";

const LOGS_MAX = 100_000;

/** Dependencies of retention. */
export interface RetentionSources {
  readonly world: World;
  readonly paths: HarnessPaths;
  readonly config: Config;
  readonly store: SessionStore;
  readonly features: FeatureSet;
}

/**
 * Plans which content of the stored sessions expires now and soon, each by its profile (SES-06).
 *
 * @param olderThanDays instead of the profiles' times; pinned and running sessions are kept all the same.
 */
export async function retentionOf(sources: RetentionSources, olderThanDays?: number): Promise<RetentionPlan> {
  const logs = await sources.store.list({ limit: LOGS_MAX });
  if (olderThanDays === undefined) return await plannedRetention(sources, logs);
  const now = sources.world.clock.now();
  const plan = planRetention(logs, () => Math.max(1, olderThanDays), { now, lastDay: "trusted" });
  return olderThanDays > 0 ? plan : everything(plan, logs, dayBefore(now, -1));
}

/** Zero days covers everything; 0 in a profile means that content is kept forever. */
function everything(plan: RetentionPlan, logs: readonly LogInfo[], beforeDay: string): RetentionPlan {
  const leasedLogs = logs.filter(({ heldBy, pinned }) => heldBy !== undefined && !pinned);
  const remainingLogs = [...plan.left, ...leasedLogs.map((log) => ({ log, why: "held" }) as const)];
  const remainingIds = new Set(remainingLogs.map(({ log }) => log.logId));
  const expire = logs
    .filter(({ logId, oldestDay }) => oldestDay !== undefined && !remainingIds.has(logId))
    .map((log) => ({ log, beforeDay }));
  return { left: remainingLogs, expire, soon: [] };
}

export interface ExpiredLog {
  readonly log: LogInfo;
  readonly events: number;
}

/**
 * Destroys due content. A log that cannot be read keeps everything, and the others continue (R29).
 * @throws the signal's reason, between two logs.
 */
export async function expireAll(
  { store, world, paths, features }: Pick<RetentionSources, "store" | "world" | "paths" | "features">,
  plan: RetentionPlan,
  signal: AbortSignal,
): Promise<readonly ExpiredLog[]> {
  const swept: ExpiredLog[] = [];
  for (const { log, beforeDay } of plan.expire) {
    signal.throwIfAborted();
    try {
      const events = await store.expire(log.logId, beforeDay);
      await expireLogFiles(log.logId, beforeDay, { world, paths, features });
      if (events > 0) swept.push({ log, events });
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      const fields = { log: log.logId, what: messageOf(thrown) };
      world.log.for("session").write("warn", "a log was not expired", fields);
    }
  }
  if (swept.length > 0) {
    const events = swept.reduce((sum, one) => sum + one.events, 0);
    world.log.for("session").write("info", "old content was destroyed", { logs: swept.length, events });
  }
  return swept;
}
