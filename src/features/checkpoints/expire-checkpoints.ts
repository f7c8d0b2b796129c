import type { LogId } from "../../base/ids.ts";
import type { Files } from "../../base/world.ts";
import { checkpointsFolder } from "./store/checkpoints-folder.ts";
import { newestCheckpointMs, removeCheckpoints } from "./store/disk-space.ts";

/**
 * Removes the checkpoints of a log whose content from before a day has expired, if nothing was recorded since
 * (SES-06). Newer ones build on earlier ones, so all of them stay until the newest is due.
 */
export async function expireCheckpoints(
  files: Files,
  data: string,
  log: LogId,
  beforeDay: string,
): Promise<void> {
  const folder = checkpointsFolder(data);
  const newestMs = await newestCheckpointMs(files, folder, log);
  if (newestMs === undefined || new Date(newestMs).toISOString().slice(0, beforeDay.length) >= beforeDay)
    return;
  await removeCheckpoints(files, folder, log);
}
