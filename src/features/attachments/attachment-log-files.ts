import { join } from "node:path";
import type { LogId } from "../../base/ids.ts";
import type { LogFiles, LogFilesOptions } from "../../session/feature.ts";
import { attachmentsFolder } from "./attachments-folder.ts";

/** The attachments of stored logs. One that is sealed under an earlier key is refused when it is used. */
export const attachmentLogFiles: LogFiles = {
  expire,
  remove,
  markEarlierKey: async () => undefined,
};

/** Removes each attachment that was uploaded before the day. */
async function expire(log: LogId, beforeDay: string, { world, paths }: LogFilesOptions): Promise<void> {
  const { files } = world;
  const folder = attachmentsFolder(paths.data, log);
  if ((await files.stat(folder)) === undefined) return;
  for (const { name } of await files.list(folder)) {
    const path = join(folder, name);
    const info = await files.lstat(path);
    if (info === undefined) continue;
    const day = new Date(info.modifiedMs).toISOString().slice(0, beforeDay.length);
    if (day < beforeDay) await files.remove(path);
  }
  if ((await files.list(folder)).length === 0) await files.remove(folder);
}

async function remove(log: LogId, { world, paths }: LogFilesOptions): Promise<void> {
  await world.files.remove(attachmentsFolder(paths.data, log));
}
