import type { OpenFile } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { fileFailure, type ResolvedPath } from "../paths.ts";
import type { ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool.ts";

/**
 * Opens the very file that a plan named; undefined where there is none (any more).
 *
 * The path is checked again through the open handle, so a directory or file that was swapped for a link since the plan
 * was approved is refused (PERM-10, S29). Devices, pipes and sockets are refused without being opened.
 * @throws ToolFailure
 */
export async function openPlanned(target: ResolvedPath, context: ToolContext): Promise<OpenFile | undefined> {
  const { files } = context.world;
  try {
    // A device is not even opened; what was a file when the call was planned is looked at through its handle.
    const info = target.info?.kind === "file" ? target.info : await files.lstat(target.path);
    context.signal.throwIfAborted();
    if (info === undefined) return undefined;
    if (info.kind === "directory") throw new ToolFailure(`${target.shown} is a directory: use Ls`);
    if (info.kind === "other")
      throw new ToolFailure(`${target.shown} is a device, pipe or socket, not a file`);
    return await files.openResolved(target.path);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw fileFailure(thrown, target.shown);
  }
}
