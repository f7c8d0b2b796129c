import { closeSync, constants, fdatasync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import type { Machine } from "../../../base/world.ts";
import { withRoom } from "../failure.ts";

/** Syncs the data of an open file, as `fdatasync` of Node does. */
export type SyncFile = (file: number, done: (failure: Error | null) => void) => void;

/**
 * Syncs the write-ahead log of a store on another thread: a disk takes milliseconds, and the only JavaScript thread
 * serves every session meanwhile. Callers that come during a sync share the next one, because the running one may have
 * begun before their commit.
 *
 * A sync that failed ends it: the system reports a lost page once, so a later sync would succeed without it (R15).
 * Linux only: elsewhere SQLite syncs, whose way of doing so differs from Node's there.
 */
export class WalSync implements Disposable {
  readonly #store: string;
  readonly #isPossible: boolean;
  readonly #syncFile: SyncFile;
  #file: number | undefined;
  /** Sync of the folder: the log may be a new file there. */
  #folder: Promise<void> | undefined;
  #failure: HarnessError | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #disposed = false;

  constructor(store: string, { platform }: Pick<Machine, "platform">, syncFile: SyncFile = fdatasync) {
    this.#store = store;
    this.#isPossible = platform === "linux";
    this.#syncFile = syncFile;
  }

  /**
   * Returns true if the store has a write-ahead log that can be synced so. Ask before a commit: it opens the log.
   * If that fails, the answer is false, and SQLite syncs.
   * @throws HarnessError StoreUnwritable after a sync that failed.
   */
  open(): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#isPossible && !this.#disposed) this.#file ??= this.#openFile();
    return this.#file !== undefined;
  }

  /**
   * Resolves when everything committed before the call is safe from loss of power.
   * @throws HarnessError StoreUnwritable: it is unknown then what has reached the disk.
   */
  async sync(): Promise<void> {
    if (this.#running === undefined && this.#next === undefined) return await this.#start();
    const startNext = () => {
      this.#next = undefined;
      return this.#start();
    };
    this.#next ??= (this.#running ?? Promise.resolve()).then(startNext, startNext);
    await this.#next;
  }

  /** Closes the log once no sync of it runs. SQLite's locks are on another file. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    if (this.#running !== undefined || this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
  }

  #start(): Promise<void> {
    const running = this.#run().finally(() => {
      if (this.#running === running) this.#running = undefined;
      if (this.#disposed) this[Symbol.dispose]();
    });
    this.#running = running;
    return running;
  }

  async #run(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const file = this.#file;
    try {
      if (file === undefined) throw new Error("its write-ahead log is not open");
      this.#folder ??= syncFolder(dirname(this.#store));
      await new Promise<void>((resolve, reject) => {
        this.#syncFile(file, (failure) => (failure === null ? resolve() : reject(failure)));
      });
      await this.#folder;
    } catch (cause) {
      this.#failure = this.#unwritable(cause);
      throw this.#failure;
    }
  }

  #openFile(): number | undefined {
    try {
      return openSync(`${this.#store}-wal`, constants.O_RDWR);
    } catch {
      return undefined; // there is none yet, or no descriptor is left
    }
  }

  #unwritable(cause: unknown): HarnessError {
    const detail = withRoom(messageOf(cause), this.#store);
    return new HarnessError("StoreUnwritable", { path: this.#store, detail }, { cause });
  }
}

/** Syncs a folder where the system can do that: a failure is ignored, as SQLite ignores it. */
async function syncFolder(path: string): Promise<void> {
  try {
    await using folder = await open(path, constants.O_RDONLY);
    await folder.sync();
  } catch {
    // Some file systems have no sync of folders.
  }
}
