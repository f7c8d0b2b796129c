import { join } from "node:path";
import { scratchFolder } from "../../../base/files/harness-paths.ts";
import type { LogId } from "../../../base/ids.ts";
import type { LogFiles, LogFilesOptions } from "../../../session/feature.ts";
import type { FeatureSet } from "../../plan/feature-set.ts";

/** Stored logs, and the features that keep files for them. */
export interface StoredLogs extends LogFilesOptions {
  readonly features: FeatureSet;
}

/** Removes the files that features keep for a log whose content from before a day has expired (SES-06). */
export async function expireLogFiles(log: LogId, beforeDay: string, at: StoredLogs): Promise<void> {
  for (const files of await logFiles(at)) await files.expire(log, beforeDay, at);
}

/** Removes the stored output of a log and the files that features keep for it. */
export async function removeLogFiles(log: LogId, at: StoredLogs): Promise<void> {
  await at.world.files.remove(join(scratchFolder(at.paths), log));
  for (const files of await logFiles(at)) await files.remove(log, at);
}

/** Marks the files that features keep for all logs as sealed under an earlier key. @param logKey the new key. */
export async function markEarlierKey(logKey: Uint8Array, at: StoredLogs): Promise<void> {
  for (const files of await logFiles(at)) await files.markEarlierKey(logKey, at);
}

async function logFiles({ features }: Pick<StoredLogs, "features">): Promise<readonly LogFiles[]> {
  const loaded = await Promise.all(features.features.map((feature) => feature.stored?.logFiles?.()));
  return loaded.filter((files) => files !== undefined);
}
