import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { LogId } from "../../../base/ids.ts";
import { forgetDismissed } from "./dismissed.ts";
import type { StoredLogs } from "./log-files.ts";
import { removeLogFiles } from "./log-files.ts";

/** Stored logs, and what is kept beside them. */
export interface KeptBeside extends StoredLogs {
  readonly paths: StoredLogs["paths"] & Pick<HarnessPaths, "state">;
}

/**
 * Removes everything that is kept beside a log, in files: its output, those of features, its dismissed warning. Only a
 * deletion calls this: a store that lacks a log may have been moved away, and its files must then stay.
 */
export async function removeBeside(log: LogId, at: KeptBeside): Promise<void> {
  await removeLogFiles(log, at);
  await forgetDismissed(at, log);
}
