import { messageOf } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";

/** What deleting needs on a disk that has no room: a short write-ahead log, its index, and something to spare. */
export const RESERVE_BYTES = 262_144;
const PRIVATE_FILE = 0o600;

type ReserveWorld = Pick<World, "files" | "log" | "random">;

function reservePath(path: string): string {
  return `${path}-reserve`;
}

/**
 * Keeps a file beside a store that takes up room, so that something can be deleted where there is no other room left
 * (SES-16). On a disk that has none there is no reserve, and that is logged.
 */
export async function keepReserve(path: string, { files, log, random }: ReserveWorld): Promise<void> {
  const reserve = reservePath(path);
  try {
    if (((await files.lstat(reserve))?.size ?? 0) >= RESERVE_BYTES) return;
    // Zeros could take no room at all.
    await files.writeAtomic(reserve, random.bytes(RESERVE_BYTES), PRIVATE_FILE);
  } catch (thrown) {
    const fields = { path: reserve, error: messageOf(thrown) };
    log.for("session.sqlite").write("debug", "there is no reserve for deleting", fields);
  }
}

/** Frees the room of the reserve; false where there is none. */
export async function spendReserve(path: string, { files }: Pick<World, "files">): Promise<boolean> {
  const reserve = reservePath(path);
  if ((await files.lstat(reserve)) === undefined) return false;
  try {
    await files.remove(reserve);
    return true;
  } catch {
    return false; // a medium that takes no writes: what failed for that tells it
  }
}
