import { chmodSync, statSync } from "node:fs";

const OTHERS_WRITE = 0o022;

/**
 * Removes write access of others from a folder of this user. Nobody else can then place files in it, such as a socket
 * instead of the engine's (S30). Another user's folder is unchanged.
 * @throws the system's error if the folder does not exist, or its mode cannot be changed.
 */
export function restrictFolder(path: string): void {
  const { uid, mode } = statSync(path);
  if (uid !== process.geteuid?.() || (mode & OTHERS_WRITE) === 0) return;
  chmodSync(path, mode & 0o7777 & ~OTHERS_WRITE);
}
