import { HarnessError, messageOf } from "../../base/errors.ts";
import type { Clock, Files } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { lockFile } from "../../platform/files/file-lock.ts";

const FOLDER_MODE = 0o700;

/** Creates a folder that an engine of this user needs. @throws HarnessError UsageInvalid if it cannot be created. */
export async function makeEngineFolder(folder: string, files: Pick<Files, "makeDirectory">): Promise<void> {
  try {
    await files.makeDirectory(folder, FOLDER_MODE);
  } catch (thrown) {
    const problem = `the folder ${folder} cannot be made: ${messageOf(thrown)}. XDG_DATA_HOME and XDG_STATE_HOME put them elsewhere`;
    throw new HarnessError("UsageInvalid", { problem }, { cause: thrown });
  }
}

/**
 * Waits until this process alone has a lock beside the engine's socket: see `lockFile`.
 * @throws HarnessError UsageInvalid if the file cannot be created; the signal's reason.
 */
export async function engineLock(
  path: string,
  clock: Pick<Clock, "sleep">,
  signal: AbortSignal,
): Promise<Disposable> {
  try {
    return await lockFile(path, clock, signal);
  } catch (thrown) {
    if (signal.aborted || codeOf(thrown) === undefined) throw thrown;
    const problem = `the lock of the engine cannot be made: ${messageOf(thrown)}. Make room, or make its folder writable for you; XDG_DATA_HOME puts it elsewhere`;
    throw new HarnessError("UsageInvalid", { problem }, { cause: thrown });
  }
}
