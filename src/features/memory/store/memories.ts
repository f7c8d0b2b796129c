import type { Cache } from "../../../base/cache-budget.ts";
import { CacheBudget } from "../../../base/cache-budget.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { Memory, StoredMemory } from "../memory.ts";
import { isIndexName, isSameName, MEMORY_NAME, memoryScope } from "../memory.ts";
import type { FolderContent, KnownFile, MemoryWorld } from "./memory-folder.ts";
import { MemoryFolder } from "./memory-folder.ts";
import type { MemoryFolders } from "./memory-folders.ts";

/**
 * The memories available to a session: the user's and the project's (CTX-02).
 *
 * A name stands for one memory. If both folders contain it, the project's comes first.
 */
export class Memories implements Disposable {
  readonly #known: Cache<KnownFile>;
  readonly #folders: { readonly user: MemoryFolder; readonly project: MemoryFolder };

  /** @param caches the engine's shared cache budget. */
  constructor(world: MemoryWorld, { user, project }: MemoryFolders, caches = new CacheBudget()) {
    const known = caches.open<KnownFile>("memories");
    this.#known = known;
    this.#folders = {
      project: new MemoryFolder(world, known, { path: project, scope: "project" }),
      user: new MemoryFolder(world, known, { path: user, scope: "user" }),
    };
  }

  [Symbol.dispose](): void {
    this.#known[Symbol.dispose]();
  }

  /** Reads all memories, and what was left out. @throws HarnessError MemoryUnreadable. */
  async read(): Promise<FolderContent> {
    const { project, user } = this.#folders;
    const [projectMemories, userMemories] = [await project.read(), await user.read()];
    const hidden = userMemories.memories.filter(({ name }) =>
      projectMemories.memories.some((one) => isSameName(one.name, name)),
    );
    return {
      memories: [
        ...projectMemories.memories,
        ...userMemories.memories.filter((memory) => !hidden.includes(memory)),
      ],
      problems: [
        ...projectMemories.problems,
        ...userMemories.problems,
        ...hidden.map(
          ({ path, name }) => `${path}:1: the project has a memory ${name} too, which goes first.`,
        ),
      ],
    };
  }

  /** @throws HarnessError MemoryUnreadable. */
  async find(name: string): Promise<StoredMemory | undefined> {
    return (await this.read()).memories.find((memory) => isSameName(memory.name, name));
  }

  /**
   * Writes a memory to the folder for its type, replacing one with its name in either folder.
   * @throws HarnessError MemoryFull, MemoryUnwritable, MemoryUnreadable.
   */
  async write(memory: Memory): Promise<void> {
    const before = await this.find(memory.name);
    const scope = memoryScope(memory.type);
    await this.#folders[scope].write(memory);
    if (before !== undefined && before.scope !== scope) await this.#folders[before.scope].remove(before.name);
  }

  /**
   * Deletes a memory. Only the log still shows that it existed.
   * @throws HarnessError MemoryMissing, MemoryUnwritable, MemoryUnreadable.
   */
  async forget(name: string): Promise<StoredMemory | undefined> {
    if (!MEMORY_NAME.test(name) || isIndexName(name)) throw new HarnessError("MemoryMissing", { name });
    const found = await this.find(name);
    const spelled = found?.name ?? name;
    const { project, user } = this.#folders;
    const removed = [await project.remove(spelled), await user.remove(spelled)];
    if (!removed.includes(true)) throw new HarnessError("MemoryMissing", { name });
    return found;
  }
}
