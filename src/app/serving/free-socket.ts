import { dirname } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { World } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { restrictFolder } from "../../platform/files/restrict-folder.ts";
import { peerCredentials } from "../../platform/sockets/peer-credentials.ts";
import { hostSockets } from "../../platform/sockets/sockets.ts";
import { describeEngine } from "./describe-engine.ts";

/**
 * Removes the Unix socket of an engine that died: nobody listens there any more (CTL-11). Anything but a socket is
 * left alone.
 * @throws HarnessError EngineRunning if somebody listens, UsageInvalid if something else is there; the system's error
 * if that cannot be read.
 */
export async function freeSocket(
  path: string,
  { files }: Pick<World, "files">,
  signal: AbortSignal,
): Promise<void> {
  restrictFolder(dirname(path)); // another program may have created it with any mode, so it may be open to others
  let running: number | undefined;
  try {
    const stream = await hostSockets.connectPath(path, signal);
    running = peerCredentials(stream)?.pid;
    stream.destroy();
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return;
    if (code !== "ECONNREFUSED") throw thrown;
    const kind = (await files.lstat(path))?.kind;
    if (kind === "other") await files.remove(path);
    else if (kind !== undefined)
      throw new HarnessError("UsageInvalid", { problem: `${path} is not a socket: move it away` });
    return;
  }
  throw new HarnessError("EngineRunning", { path, ...(await describeEngine(path, running, files)) });
}
