import { join } from "node:path";
import type { FileInfo, Files } from "../../../base/world.ts";
import { codeOf, PathMoved } from "../../../base/world.ts";

/** Limit for watched files and folders. Changes beyond it are not reported. */
export const WATCHED_ENTRIES_MAX = 10_000;
/** Limit for concurrent lookups. */
const LOOKS_AT_ONCE = 64;
/** Folders whose content is not watched; a change of the folder itself is seen. */
const CLOSED: readonly string[] = [".git", "node_modules"];

/** Values of `workspace/didChangeWatchedFiles`. */
export const WATCHED_CHANGE_TYPES = { created: 1, changed: 2, deleted: 3 } as const;

/** Change of one file since the last scan. */
export interface WatchedChange {
  readonly path: string;
  readonly type: (typeof WATCHED_CHANGE_TYPES)[keyof typeof WATCHED_CHANGE_TYPES];
}

/** Watches the tree below a folder for changes since the last scan. Follows no link and reads no file. */
export class WatchedTree {
  readonly #files: Pick<Files, "listResolved" | "lstat">;
  readonly #root: string;
  #seen: ReadonlyMap<string, string> = new Map();
  #isWhole = true;

  constructor(files: Pick<Files, "listResolved" | "lstat">, root: string) {
    this.#files = files;
    this.#root = root;
  }

  /**
   * Returns what was made, changed or removed since the last scan, by path. The first scan returns nothing.
   * @throws the signal's reason; the next scan then returns it.
   */
  async scan(signal: AbortSignal): Promise<readonly WatchedChange[]> {
    const isFirst = this.#seen.size === 0;
    const now = new Map<string, string>();
    const isWhole = await this.#walk(now, signal);
    const changes: WatchedChange[] = [];
    for (const [path, print] of now) {
      const before = this.#seen.get(path);
      if (before === print) continue;
      // If two scans were cut off, one may have come further than the other.
      if (before !== undefined) changes.push({ path, type: WATCHED_CHANGE_TYPES.changed });
      else if (this.#isWhole) changes.push({ path, type: WATCHED_CHANGE_TYPES.created });
    }
    for (const path of this.#seen.keys())
      if (isWhole && !now.has(path)) changes.push({ path, type: WATCHED_CHANGE_TYPES.deleted });
    [this.#seen, this.#isWhole] = [now, isWhole];
    return isFirst ? [] : changes;
  }

  /** Returns true if everything was seen. */
  async #walk(now: Map<string, string>, signal: AbortSignal): Promise<boolean> {
    const folders = [this.#root];
    now.set(this.#root, "");
    for (const folder of folders) {
      signal.throwIfAborted();
      const entries = await this.#entries(folder);
      const room = WATCHED_ENTRIES_MAX - now.size;
      for (let at = 0; at < Math.min(entries.length, room); at += LOOKS_AT_ONCE) {
        const some = entries.slice(at, Math.min(at + LOOKS_AT_ONCE, room));
        const infos = await Promise.all(some.map((name) => this.#infoOf(join(folder, name))));
        signal.throwIfAborted();
        for (const [index, info] of infos.entries()) {
          const name = some[index] ?? "";
          const path = join(folder, name);
          const isClosed = CLOSED.includes(name);
          if (info?.kind === "directory" && !isClosed) folders.push(path);
          // The time of any other folder shows only what its files show themselves.
          if (info?.kind === "file" || (info !== undefined && isClosed)) now.set(path, fingerprintOf(info));
        }
      }
      if (entries.length > room) return false;
    }
    return true;
  }

  async #infoOf(path: string): Promise<FileInfo | undefined> {
    try {
      return await this.#files.lstat(path);
    } catch (thrown) {
      if (codeOf(thrown) !== undefined) return undefined;
      throw thrown;
    }
  }

  async #entries(folder: string): Promise<readonly string[]> {
    try {
      return (await this.#files.listResolved(folder, 0)).map(({ name }) => name);
    } catch (thrown) {
      // It is gone meanwhile, a link by now, or not readable.
      if (thrown instanceof PathMoved || codeOf(thrown) !== undefined) return [];
      throw thrown;
    }
  }
}

function fingerprintOf({ size, modifiedMs, changedMs = 0, identity }: FileInfo): string {
  return `${size} ${modifiedMs} ${changedMs} ${identity}`;
}
