import { join } from "node:path";
import { HarnessError } from "../../base/errors.ts";
import type { SessionHost } from "../../session/host.ts";

/** The file of instructions that another agent reads, and cinch does not unless a profile names it. */
const OTHER_FILE = "CLAUDE.md";

/**
 * Returns a notice if a project has instructions for another agent and none that this session reads; undefined
 * otherwise, and in a folder that had a session before: the notice is shown once.
 */
export async function unusedFileNotice({
  world,
  workspace,
  store,
  logId,
}: Pick<SessionHost, "world" | "workspace" | "store" | "logId">): Promise<HarnessError | undefined> {
  if ((await world.files.stat(join(workspace.root, OTHER_FILE)))?.kind !== "file") return undefined;
  const here = await store.list({ workingDir: workspace.root, limit: 2 });
  if (here.some((log) => log.logId !== logId)) return undefined;
  return new HarnessError("ContextFileUnused", { file: OTHER_FILE });
}
