import { fdatasync } from "node:fs";
import { HarnessError, messageOf } from "../../../base/errors.ts";
import { openStoreFile } from "./wal.ts";

/**
 * Syncs the write-ahead log of a store on another thread: a disk takes milliseconds, and the only JavaScript thread
 * serves every session meanwhile. Callers that come during a sync share the next one, because the running one may have
 * begun before their commit.
 */
export class WalSync {
  readonly #store: string;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(store: string) {
    this.#store = store;
  }

  /** True if the store has a write-ahead log that can be synced so. */
  get isPossible(): boolean {
    return this.#file !== undefined;
  }

  /**
   * Resolves when everything committed before the call is safe from loss of power.
   * @throws HarnessError StoreUnwritable: it is unknown then what has reached the disk (R15).
   */
  sync(): Promise<void> {
    if (this.#running === undefined) return this.#start();
    const startNext = () => {
      this.#next = undefined;
      return this.#start();
    };
    this.#next ??= this.#running.then(startNext, startNext);
    return this.#next;
  }

  get #file(): number | undefined {
    return openStoreFile(`${this.#store}-wal`);
  }

  #start(): Promise<void> {
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    const file = this.#file;
    try {
      if (file === undefined) throw new Error("its write-ahead log is missing");
      await new Promise<void>((resolve, reject) => {
        fdatasync(file, (failure) => (failure === null ? resolve() : reject(failure)));
      });
    } catch (cause) {
      throw new HarnessError("StoreUnwritable", { path: this.#store, detail: messageOf(cause) }, { cause });
    }
  }
}
