import { rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { makeTemporaryFolder, sweepTemporaryFolders } from "./temporary.ts";

/** Folder for files that nobody needs after this process. Disposing removes it with what it holds. */
export interface ScratchFolder extends AsyncDisposable {
  /** Absolute. */
  readonly path: string;
}

const living = new Set<string>();

/**
 * Makes a folder of this process alone below the temporary folder. The end of the process removes it if nobody
 * disposed it. After a kill, the next call of this function, in any process, removes it.
 * @throws HarnessError TemporaryUnusable.
 */
export function openScratchFolder(prefix: string): ScratchFolder {
  sweepTemporaryFolders();
  const path = makeTemporaryFolder(prefix);
  if (living.size === 0) process.on("exit", removeAll);
  living.add(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
      living.delete(path);
      if (living.size === 0) process.off("exit", removeAll);
    },
  };
}

function removeAll(): void {
  for (const path of living) rmSync(path, { recursive: true, force: true });
}
