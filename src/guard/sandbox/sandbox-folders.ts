import { join } from "node:path";
import type { Files } from "../../base/world.ts";

/** Folders on disk that one session's sandbox uses. */
export interface SandboxFolders {
  /** Holds the other two. */
  readonly base: string;
  /** Mounted as `/tmp`. */
  readonly temporary: string;
  /** Holds the sandbox's working files; no command sees it. */
  readonly workshop: string;
}

/** Creates the folders; `undo` removes them with everything that commands left in them. */
export async function makeSandboxFolders(files: Files, undo: AsyncDisposableStack): Promise<SandboxFolders> {
  const base = await files.makeTemporary("cinch-");
  undo.defer(() => files.remove(base));
  const [temporary, workshop] = [join(base, "tmp"), join(base, "own")];
  await files.makeDirectory(temporary, 0o700);
  await files.makeDirectory(workshop, 0o700);
  return { base, temporary, workshop };
}
