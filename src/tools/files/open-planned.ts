import type { OpenFile } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { fileFailure, type ResolvedPath } from "../paths.ts";
import type { ToolContext } from "../tool.ts";
import { ToolFailure } from "../tool.ts";

/**
 * Opens the file that a plan named; undefined if it does not exist (any more).
 *
 * Checks the path again through the open handle. Refuses a directory or file that was replaced by a link since the
 * plan was approved (PERM-10, S29). Devices, pipes and sockets are refused without being opened.
 * @throws ToolFailure
 */
export async function openPlanned(target: ResolvedPath, context: ToolContext): Promise<OpenFile | undefined> {
  const { files } = context.world;
  try {
    // A device is not even opened; a file of the plan is checked through its handle.
    const info = target.info?.kind === "file" ? target.info : await files.lstat(target.path);
    context.signal.throwIfAborted();
    if (info === undefined) return undefined;
    if (info.kind === "directory") throw new ToolFailure(`${target.shown} is a directory: use Ls`);
    if (info.kind === "other")
      throw new ToolFailure(`${target.shown} is a device, pipe or socket, not a file`);
    return await files.openResolved(target.path, info);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw fileFailure(thrown, target.shown);
  }
}
