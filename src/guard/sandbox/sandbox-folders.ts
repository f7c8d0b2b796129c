import { join } from "node:path";
import type { Files } from "../../base/world.ts";

/** What one session has on the disk for its sandbox. */
export interface SandboxFolders {
  /** Holds the others. */
  readonly base: string;
  /** Stands for `/tmp`. */
  readonly temporary: string;
  /** Holds what the sandbox itself needs; no command sees it. */
  readonly workshop: string;
}

/** Makes them; `undo` removes them, and what commands left in them. */
export async function makeFolders(files: Files, undo: AsyncDisposableStack): Promise<SandboxFolders> {
  const base = await files.makeTemporary("cinch-");
  undo.defer(() => files.remove(base));
  const [temporary, workshop] = [join(base, "tmp"), join(base, "own")];
  await files.makeDirectory(temporary, 0o700);
  await files.makeDirectory(workshop, 0o700);
  return { base, temporary, workshop };
}
