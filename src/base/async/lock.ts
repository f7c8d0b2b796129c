import { messageOf } from "../errors.ts";
import type { World } from "../world.ts";
import { deadline } from "./deadline.ts";

/** Wait for other sessions and processes, each of which holds such a lock for milliseconds. */
const LOCK_MS_MAX = 5_000;

/** A lock that was not acquired. The message names its file and the reason. */
export class LockRefused extends Error {
  override readonly name = "LockRefused";
}

/**
 * Acquires the lock at `path` for a short change to files that other processes change too.
 * @throws LockRefused if another process holds it for 5 s, or the system refuses it.
 */
export async function acquireLock(
  { clock, lock }: Pick<World, "clock" | "lock">,
  path: string,
): Promise<Disposable> {
  using limit = deadline(clock, LOCK_MS_MAX, new AbortController().signal);
  try {
    return await lock(path, limit.signal);
  } catch (cause) {
    const why = limit.reached
      ? `another process has held ${path} for ${LOCK_MS_MAX / 1_000} s`
      : `${path} could not be locked: ${messageOf(cause)}`;
    throw new LockRefused(why, { cause });
  }
}
