import { join } from "node:path";
import type { LogId } from "../../base/ids.ts";

/** Returns the folder of the attachments of one log. @param data the data folder of cinch. */
export function attachmentsFolder(data: string, log: LogId): string {
  return join(data, "attachments", log);
}
