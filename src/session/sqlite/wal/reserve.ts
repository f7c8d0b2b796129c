import { messageOf } from "../../../base/errors.ts";
import type { World } from "../../../base/world.ts";

/** Bytes that deleting needs on a full disk: a short write-ahead log, its index, and a margin. */
export const RESERVE_BYTES = 262_144;
const PRIVATE_FILE = 0o600;

type ReserveWorld = Pick<World, "files" | "log" | "random">;

function reservePath(path: string): string {
  return `${path}-reserve`;
}

/**
 * Keeps a file beside a store that reserves room, so that sessions can be deleted on a full disk (SES-16). If the disk
 * is already full there is no reserve, and that is logged.
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

/** Frees the room of the reserve; returns false if there is none. */
export async function spendReserve(path: string, { files }: Pick<World, "files">): Promise<boolean> {
  const reserve = reservePath(path);
  if ((await files.lstat(reserve)) === undefined) return false;
  try {
    await files.remove(reserve);
    return true;
  } catch {
    return false; // a read-only medium: the first failure reports it
  }
}
