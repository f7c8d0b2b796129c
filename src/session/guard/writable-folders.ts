import { isWithin } from "../../base/files/below.ts";
import type { HarnessPaths } from "../../base/files/harness-paths.ts";
import { scratchFolder, worktreesFolder } from "../../base/files/harness-paths.ts";

/**
 * Folders that agents of this engine write without a question, from its start on. No program there is run outside the
 * sandbox (S33). A folder stays after its session: so does what was written. Folders in one another count as one.
 */
export class WritableFolders {
  #folders: readonly string[];

  constructor(paths: HarnessPaths) {
    this.#folders = [scratchFolder(paths), worktreesFolder(paths)];
  }

  /** Absolute and resolved. */
  get all(): readonly string[] {
    return this.#folders;
  }

  /** @param folders absolute and resolved. */
  add(folders: readonly string[]): void {
    for (const folder of folders) {
      if (this.#folders.some((each) => isWithin(each, folder))) continue;
      this.#folders = [...this.#folders.filter((each) => !isWithin(folder, each)), folder];
    }
  }
}
