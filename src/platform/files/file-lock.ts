import { closeSync, constants, openSync } from "node:fs";
import type { Clock } from "../../base/world.ts";
import { cFunctions } from "../c-library.ts";

const LOCK_EX = 2;
const LOCK_NB = 4;
const TRY_AGAIN_MS = 20;
const OWNER_ONLY = 0o600;
/** No link is followed to another file, and opening a FIFO does not wait for its other end. */
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Waits until this process alone has a lock. Disposing it, or any end of the process, frees it. The file stays.
 * @throws a system error if the file cannot be created; the signal's reason.
 */
export async function lockFile(
  path: string,
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
): Promise<Disposable> {
  signal.throwIfAborted();
  const c = cFunctions({ flock: { args: ["i32", "i32"], returns: "i32" } });
  const descriptor = openSync(path, FLAGS, OWNER_ONLY);
  const lock = { [Symbol.dispose]: () => closeSync(descriptor) };
  try {
    // Without this call two processes may continue at once: the socket decides which of them serves.
    while (c !== undefined && c.flock(descriptor, LOCK_EX | LOCK_NB) !== 0) {
      await clock.sleep(TRY_AGAIN_MS, signal);
    }
    return lock;
  } catch (thrown) {
    lock[Symbol.dispose]();
    throw thrown;
  }
}
