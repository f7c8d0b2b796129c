import { join } from "node:path";

/** Returns the folder that holds one folder of checkpoints for each log. */
export function checkpointsFolder(data: string): string {
  return join(data, "checkpoints");
}
