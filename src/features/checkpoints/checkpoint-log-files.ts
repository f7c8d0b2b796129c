import { join } from "node:path";
import type { LogId } from "../../base/ids.ts";
import type { LogFiles, LogFilesOptions } from "../../session/feature.ts";
import { checkpointsFolder } from "./store/checkpoints-folder.ts";
import { newestCheckpointMs, removeCheckpoints } from "./store/disk-space.ts";
import { checkpointKey, earlierKeyMark } from "./store/earlier-key.ts";

const MARK_MODE = 0o600;

/** The checkpoints of stored logs. */
export const checkpointLogFiles: LogFiles = {
  expire,
  remove,
  markEarlierKey,
};

/** Newer checkpoints build on earlier ones, so all of them stay until the newest is due. */
async function expire(log: LogId, beforeDay: string, { world, paths }: LogFilesOptions): Promise<void> {
  const folder = checkpointsFolder(paths.data);
  const newestMs = await newestCheckpointMs(world.files, folder, log);
  if (newestMs === undefined || new Date(newestMs).toISOString().slice(0, beforeDay.length) >= beforeDay)
    return;
  await removeCheckpoints(world.files, folder, log);
}

async function remove(log: LogId, { world, paths }: LogFilesOptions): Promise<void> {
  await removeCheckpoints(world.files, checkpointsFolder(paths.data), log);
}

/** Marks all checkpoints as sealed with an earlier key, so that they do not count as damaged. */
async function markEarlierKey(logKey: Uint8Array, { world, paths }: LogFilesOptions): Promise<void> {
  const { files, random } = world;
  const all = checkpointsFolder(paths.data);
  if ((await files.stat(all)) === undefined) return;
  for (const { name: log, kind } of await files.list(all)) {
    if (kind !== "directory") continue;
    const folder = join(all, log);
    const names = (await files.list(folder)).map(({ name }) => name);
    const sealer = { key: checkpointKey(logKey, log), random: random.bytes };
    const mark = earlierKeyMark({ folder, log, names }, sealer);
    if (mark !== undefined) await files.writeAtomic(mark.path, mark.bytes, MARK_MODE);
  }
}
