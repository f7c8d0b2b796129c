import type { Cache } from "../../../base/cache-budget.ts";
import { CacheBudget } from "../../../base/cache-budget.ts";
import { HarnessError } from "../../../base/errors.ts";
import type { KeptMemory, Memory } from "../memory.ts";
import { isIndexName, isSameName, NAME, scopeOf } from "../memory.ts";
import type { FolderContent, KnownFile, MemoryWorld } from "./folder.ts";
import { MemoryFolder } from "./folder.ts";
import type { MemoryPlaces } from "./places.ts";

/**
 * The memories that a session can have: those of the person and those of the project it works in (CTX-02).
 *
 * A name stands for one memory. Where both folders hold it, the project's goes first.
 */
export class Memories implements Disposable {
  readonly #known: Cache<KnownFile>;
  readonly #folders: { readonly user: MemoryFolder; readonly project: MemoryFolder };

  /** @param caches what all caches of the engine share. */
  constructor(world: MemoryWorld, { user, project }: MemoryPlaces, caches = new CacheBudget()) {
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

  /** Everything there is now, and what was left out. @throws HarnessError MemoryUnreadable. */
  async read(): Promise<FolderContent> {
    const { project, user } = this.#folders;
    const [theirs, own] = [await project.read(), await user.read()];
    const hidden = own.memories.filter(({ name }) =>
      theirs.memories.some((one) => isSameName(one.name, name)),
    );
    return {
      memories: [...theirs.memories, ...own.memories.filter((memory) => !hidden.includes(memory))],
      problems: [
        ...theirs.problems,
        ...own.problems,
        ...hidden.map(
          ({ path, name }) => `${path}:1: the project has a memory ${name} too, which goes first.`,
        ),
      ],
    };
  }

  /** @throws HarnessError MemoryUnreadable. */
  async find(name: string): Promise<KeptMemory | undefined> {
    return (await this.read()).memories.find((memory) => isSameName(memory.name, name));
  }

  /**
   * Writes a memory into the folder of its type, in place of one of its name wherever that was.
   * @throws HarnessError MemoryFull, MemoryUnwritable, MemoryUnreadable.
   */
  async write(memory: Memory): Promise<void> {
    const before = await this.find(memory.name);
    const scope = scopeOf(memory.type);
    await this.#folders[scope].write(memory);
    if (before !== undefined && before.scope !== scope) await this.#folders[before.scope].remove(before.name);
  }

  /**
   * Removes a memory; its file is gone, and only the log tells that it was.
   * @throws HarnessError MemoryMissing, MemoryUnwritable, MemoryUnreadable.
   */
  async forget(name: string): Promise<KeptMemory | undefined> {
    if (!NAME.test(name) || isIndexName(name)) throw new HarnessError("MemoryMissing", { name });
    const found = await this.find(name);
    const spelled = found?.name ?? name;
    const { project, user } = this.#folders;
    const removed = [await project.remove(spelled), await user.remove(spelled)];
    if (!removed.includes(true)) throw new HarnessError("MemoryMissing", { name });
    return found;
  }
}
