import { closeSync, constants, openSync } from "node:fs";
import type { Clock } from "../../base/world.ts";
import { fromC } from "../c-library.ts";

const LOCK_EX = 2;
const LOCK_NB = 4;
const TRY_AGAIN_MS = 20;
const OWNER_ONLY = 0o600;
/** No link is followed to a file of somebody's choice, and a FIFO does not wait for its other end. */
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Waits until this process alone has a lock, which is freed by disposing it, or by the end of the process, however that
 * comes. The file stays.
 * @throws a system error where the file cannot be made; the signal's reason.
 */
export async function lockFile(
  path: string,
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
): Promise<Disposable> {
  signal.throwIfAborted();
  const c = fromC({ flock: { args: ["i32", "i32"], returns: "i32" } });
  const descriptor = openSync(path, FLAGS, OWNER_ONLY);
  const lock = { [Symbol.dispose]: () => closeSync(descriptor) };
  try {
    // Where there is no such call two may go on at once: which of them serves is settled by the socket.
    while (c !== undefined && c.flock(descriptor, LOCK_EX | LOCK_NB) !== 0) {
      await clock.sleep(TRY_AGAIN_MS, signal);
    }
    return lock;
  } catch (thrown) {
    lock[Symbol.dispose]();
    throw thrown;
  }
}
