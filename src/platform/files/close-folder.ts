import { chmodSync, statSync } from "node:fs";

const OTHERS_WRITE = 0o022;

/**
 * Takes away what would let others put files of theirs into a folder of this user's, a socket in the place of the engine's
 * for one (S30). Another user's folder is left as it is.
 * @throws the system's error where the folder is not there, or its mode cannot be changed.
 */
export function closeFolder(path: string): void {
  const { uid, mode } = statSync(path);
  if (uid !== process.geteuid?.() || (mode & OTHERS_WRITE) === 0) return;
  chmodSync(path, mode & 0o7777 & ~OTHERS_WRITE);
}
