import { HarnessError } from "../base/errors.ts";
import type { World } from "../base/world.ts";
import { codeOf } from "../base/world.ts";
import { hostSockets } from "../host/sockets.ts";

/**
 * Clears away the Unix socket that an engine has left which died: nobody listens there any more (CTL-11). What is no socket is
 * left alone, and the listener then says that the path is taken.
 * @throws HarnessError EngineRunning where somebody listens; the system's error where that cannot be told.
 */
export async function freeSocket(
  path: string,
  { files }: Pick<World, "files">,
  signal: AbortSignal,
): Promise<void> {
  try {
    const stream = await hostSockets.connectPath(path, signal);
    stream.destroy();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return;
    if (code !== "ECONNREFUSED") throw thrown;
    if ((await files.lstat(path))?.kind === "other") await files.remove(path);
    return;
  }
  throw new HarnessError("EngineRunning", { path });
}
