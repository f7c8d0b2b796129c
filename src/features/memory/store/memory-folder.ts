import { join } from "node:path";
import { acquireLock, LockRefused } from "../../../base/async/lock.ts";
import type { Cache } from "../../../base/cache-budget.ts";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { byteLength, decode } from "../../../base/text/text.ts";
import type { World } from "../../../base/world.ts";
import { codeOf } from "../../../base/world.ts";
import type { Memory, MemoryScope, StoredMemory } from "../memory.ts";
import { FOLDER_BYTES_MAX, INDEX_FILE, isSameName, MEMORIES_MAX, MEMORY_FILE_BYTES_MAX } from "../memory.ts";
import { renderIndex } from "./index-file.ts";
import type { ParsedMemory } from "./memory-file.ts";
import { parseMemory, renderMemory } from "./memory-file.ts";

export type MemoryWorld = Pick<World, "files" | "clock" | "lock">;

/** The content of a folder: usable memories sorted by name, and sentences about the other files, with file and line. */
export interface FolderContent {
  readonly memories: readonly StoredMemory[];
  readonly problems: readonly string[];
}

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** An empty file beside the memories. */
const LOCK_FILE = ".memory.lock";
const EMPTY: FolderContent = { memories: [], problems: [] };

/**
 * One folder of memories, which people and other processes change too.
 *
 * The current content of a file counts. An unreadable file is reported, left out and not touched. Every change
 * rebuilds the index from the files, so that no process loses what another one wrote.
 */
export class MemoryFolder {
  readonly path: string;
  readonly scope: MemoryScope;
  readonly #world: MemoryWorld;
  readonly #known: Cache<KnownFile>;

  /** @param known files read earlier, by path. */
  constructor(world: MemoryWorld, known: Cache<KnownFile>, place: { path: string; scope: MemoryScope }) {
    this.#world = world;
    this.#known = known;
    this.path = place.path;
    this.scope = place.scope;
  }

  /** @throws HarnessError MemoryUnreadable if the folder itself cannot be read. */
  async read(): Promise<FolderContent> {
    const { files } = this.#world;
    try {
      if ((await files.stat(this.path)) === undefined) return EMPTY;
      const entries = (await files.list(this.path))
        .filter(({ name }) => name.endsWith(".md") && !isSameName(name, INDEX_FILE))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const read: Read[] = [];
      for (const { name } of entries.slice(0, MEMORIES_MAX)) read.push(await this.#readFile(name));
      const more = entries.length - MEMORIES_MAX;
      return {
        memories: read.flatMap(({ memory }) => memory ?? []),
        problems: [
          ...read.flatMap(({ problems }) => problems),
          ...(more > 0 ? [`${this.path}: ${more} files were left out, since ${MEMORIES_MAX} are read.`] : []),
        ],
      };
    } catch (thrown) {
      if (codeOf(thrown) === undefined) throw thrown;
      throw new HarnessError(
        "MemoryUnreadable",
        { path: this.path, detail: messageOf(thrown) },
        { cause: thrown },
      );
    }
  }

  /**
   * Writes a memory, replacing one with its name.
   * @throws HarnessError MemoryFull, MemoryUnwritable, MemoryUnreadable.
   */
  async write(memory: Memory): Promise<void> {
    await this.#change(async () => {
      const { files } = this.#world;
      const { memories } = await this.read();
      const others = memories.filter(({ name }) => !isSameName(name, memory.name));
      const text = renderMemory(memory);
      const bytes = others.reduce((sum, other) => sum + other.bytes, byteLength(text));
      const full = others.length >= MEMORIES_MAX ? `${MEMORIES_MAX} memories` : `${FOLDER_BYTES_MAX} bytes`;
      if (others.length >= MEMORIES_MAX || bytes > FOLDER_BYTES_MAX)
        throw new HarnessError("MemoryFull", { path: this.path, limit: full });
      await files.writeAtomic(this.#fileOf(memory.name), text, FILE_MODE);
      // Removes a file with another spelling, on a case-sensitive disk.
      for (const { name } of memories)
        if (name !== memory.name && isSameName(name, memory.name) && !(await this.#isOne(name, memory.name)))
          await files.remove(this.#fileOf(name));
    });
  }

  /**
   * Removes the file of a memory; returns false if there is none. This includes unreadable files and links, but
   * not folders.
   */
  async remove(name: string): Promise<boolean> {
    const { files } = this.#world;
    const isThere = async () =>
      ![undefined, "directory"].includes((await files.lstat(this.#fileOf(name)))?.kind);
    if (!(await isThere())) return false;
    return await this.#change(async () => {
      if (!(await isThere())) return false;
      await files.remove(this.#fileOf(name));
      return true;
    });
  }

  /** Runs one change under a lock against other processes, then rebuilds the index from the files. */
  async #change<Result>(change: () => Promise<Result>): Promise<Result> {
    const { files } = this.#world;
    try {
      await files.makeDirectory(this.path, FOLDER_MODE);
      using _lock = await acquireLock(this.#world, join(this.path, LOCK_FILE));
      const result = await change();
      const index = renderIndex((await this.read()).memories);
      await files.writeAtomic(join(this.path, INDEX_FILE), index, FILE_MODE);
      return result;
    } catch (thrown) {
      if (codeOf(thrown) === undefined && !(thrown instanceof LockRefused)) throw thrown;
      const fields = { path: this.path, detail: messageOf(thrown) };
      throw new HarnessError("MemoryUnwritable", fields, { cause: thrown });
    }
  }

  async #readFile(file: string): Promise<Read> {
    const { files } = this.#world;
    const path = join(this.path, file);
    const withProblem = (problem: string, line = 1): Read => ({ problems: [`${path}:${line}: ${problem}.`] });
    try {
      const info = await files.lstat(path);
      if (info === undefined) return { problems: [] }; // removed meanwhile
      if (info.kind !== "file") return withProblem("it is not a file and was not read");
      if (info.size > MEMORY_FILE_BYTES_MAX)
        return withProblem(`it has more than ${MEMORY_FILE_BYTES_MAX} bytes and was not read`);
      const stamp = [info.identity, info.size, info.modifiedMs, info.changedMs].join(" ");
      const known = this.#known.get(path);
      if (known?.stamp === stamp) return known.read;
      const parsed = await parsedFile(decode(await files.readRange(path, 0, MEMORY_FILE_BYTES_MAX)), {
        stem: file.slice(0, -".md".length),
        type: this.scope === "user" ? "user" : "project",
      });
      const read = this.#readOf(parsed, { path, modifiedMs: info.modifiedMs, bytes: info.size });
      this.#known.set(path, { stamp, read });
      return read;
    } catch (thrown) {
      if (codeOf(thrown) === undefined) throw thrown;
      return withProblem(`it cannot be read: ${messageOf(thrown)}`);
    }
  }

  #readOf(parsed: ParsedMemory, at: Pick<StoredMemory, "path" | "modifiedMs" | "bytes">): Read {
    const problemText = (line: number, problem: string) => `${at.path}:${line}: ${problem}.`;
    if (parsed.kind === "problem")
      return { problems: [`${problemText(parsed.line, parsed.problem)} It was left out.`] };
    const problems = parsed.ignoredFields.map(({ line, problem }) => problemText(line, problem));
    return { memory: { ...parsed.memory, ...at, scope: this.scope }, problems };
  }

  #fileOf(name: string): string {
    return join(this.path, `${name}.md`);
  }

  async #isOne(name: string, other: string): Promise<boolean> {
    const { files } = this.#world;
    const [one, two] = await Promise.all([name, other].map((each) => files.lstat(this.#fileOf(each))));
    return one?.identity === two?.identity;
  }
}

/** A file that was read, with a stamp that shows later changes. */
export interface KnownFile {
  readonly stamp: string;
  readonly read: Read;
}

interface Read {
  readonly memory?: StoredMemory;
  readonly problems: readonly string[];
}

async function parsedFile(text: string, place: Parameters<typeof parseMemory>[1]): Promise<ParsedMemory> {
  return await parseMemory(text, place, async (source) => {
    const { readYamlHead } = await import("../../../base/text/yaml-head.ts");
    return readYamlHead(source);
  });
}
