import { join } from "node:path";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { HarnessPaths } from "../../../base/files/harness-paths.ts";
import type { LogId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { Redactor } from "../../../safety/redact.ts";
import type { Workspace } from "../../../tools/tool.ts";
import type { SessionEnvironment } from "../../plan/session-environment.ts";

const SCRATCH_MODE = 0o700;

export interface WorkspaceSources extends Pick<SessionEnvironment, "env" | "withheld"> {
  readonly logId: LogId;
  readonly root: string;
  readonly paths: HarnessPaths;
  readonly secrets: Redactor;
}

export function workspaceOf({ logId, root, paths, env, withheld, secrets }: WorkspaceSources): Workspace {
  const scratch = join(paths.data, "scratch", logId);
  const readable = new Set<string>();
  const redacting = () => secrets.stream();
  return { root, cwd: root, seen: new Map(), env, withheld, redacting, scratch, readable };
}

/** @throws HarnessError StoreUnwritable: spilled output belongs to the session. */
export async function createScratchFolder({ files }: World, path: string): Promise<void> {
  try {
    await files.makeDirectory(path, SCRATCH_MODE);
  } catch (cause) {
    throw new HarnessError("StoreUnwritable", { path, detail: messageOf(cause) }, { cause });
  }
}

/**
 * Removes git files that a command planted while cinch was killed (S26), and returns a notice for the person. Costs one
 * stat of a folder if nothing was left. Call it before git is run for the session.
 */
export async function removePlantedGitFiles(world: World, paths: HarnessPaths): Promise<readonly string[]> {
  const folder = join(paths.state, "sandboxes", "running");
  try {
    if ((await world.files.list(folder)).length === 0) return [];
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return [];
    if (code === undefined) throw thrown;
    const problem = "so cinch did not look for what a killed session's command left for git";
    return [`${folder} could not be read, ${problem}: ${messageOf(thrown)}. Repair or remove it.`];
  }
  const { disarmInterruptedRuns: disarmUnfinished } = await import(
    "../../../guard/sandbox/interrupted-runs.ts"
  );
  return await disarmUnfinished(world, folder);
}

/** Removes the folder of a session's spilled output if it is empty. */
export async function removeIfEmpty({ files }: World, directory: string): Promise<void> {
  if ((await files.stat(directory)) === undefined) return;
  if ((await files.list(directory)).length === 0) await files.remove(directory);
}
