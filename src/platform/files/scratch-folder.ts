import { randomUUID } from "node:crypto";
import { realpathSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeTemporaryFolder, sweepTemporaryFolders } from "./temporary.ts";

/** A path for files that nobody needs after this process. */
export interface ScratchFolder extends AsyncDisposable {
  /** Absolute and real. Nothing is there until somebody makes it. */
  readonly path: string;
}

const living = new Set<string>();

/**
 * Names a folder below the temporary folder, for whoever has something to keep there. Disposing removes it with what it
 * holds; the end of the process removes it where nobody disposed.
 */
export function scratchFolder(prefix: string): ScratchFolder {
  return removedAtExit(join(realTemporary(), `${prefix}${randomUUID()}`));
}

/**
 * Makes a folder for this process alone. Disposing removes it, or the end of the process; after a kill the next call of this
 * function, in any process, removes it.
 * @throws HarnessError TemporaryUnusable.
 */
export function markedScratchFolder(prefix: string): ScratchFolder {
  sweepTemporaryFolders();
  return removedAtExit(makeTemporaryFolder(prefix));
}

function removedAtExit(path: string): ScratchFolder {
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

/** A temporary folder that is missing matters only to whoever writes there, and then names its path. */
function realTemporary(): string {
  try {
    return realpathSync(tmpdir());
  } catch {
    return tmpdir();
  }
}

function removeAll(): void {
  for (const path of living) rmSync(path, { recursive: true, force: true });
}
