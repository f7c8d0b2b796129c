import { HarnessError, hasReason } from "../../../base/errors.ts";
import type { LogId } from "../../../base/ids.ts";
import type { World } from "../../../base/world.ts";
import type { Durability, RemoveBeside } from "../../store/store.ts";
import type { StoreConnection } from "../connection.ts";
import { forgetInBackups } from "../schema/backups.ts";
import type { StoreFile } from "../store-file.ts";
import type { HeadFile } from "../wal/head-file.ts";
import { removeKeptWal } from "../wal/kept-wal.ts";
import { keepReserve, spendReserve } from "../wal/reserve.ts";
import type { WhenFree } from "../when-free.ts";
import { truncateLog } from "../when-free.ts";
import { expireLog } from "./expiry.ts";
import { forgetLog, removeLogRow, removeRows } from "./removal.ts";

export interface LogEraserDependencies {
  readonly world: World;
  readonly file: StoreFile;
  readonly heads: HeadFile;
  readonly whenFree: WhenFree;
  /** Runs work with the new logs in the file. */
  readonly asked: WhenFree;
  /** Runs work in one transaction. */
  readonly change: <Result>(durability: Durability, work: () => Result) => Promise<Result>;
  /** Opens the file for writing, if the connection only reads it. */
  readonly reopen: (() => StoreConnection) | undefined;
  /** Aborts when the store is closed. */
  readonly signal: AbortSignal;
}

/** Runs work again with more room if the disk is full. @param work gets true if the space that it frees is scarce. */
type WithRoom = <Result>(work: (isTight: boolean) => Promise<Result> | Result) => Promise<Result>;

interface FinishOptions {
  /** Removes the files beside the log. Returns false if they are left for the next maintenance. */
  readonly removeFiles: () => Promise<boolean>;
  /** Stops between two steps. */
  readonly signal: AbortSignal;
  readonly withRoom: WithRoom;
}

/**
 * Erases logs and expired content: first the keys, so that nothing can be read any more, then all traces of the keys
 * in memory, copies and the write-ahead log, then the rows. Works on a full disk: it makes room.
 */
export class LogEraser {
  readonly #parts: LogEraserDependencies;

  constructor(parts: LogEraserDependencies) {
    this.#parts = parts;
  }

  /** Expires the content of a log before a day. Returns the number of its events. */
  async expire(logId: LogId, beforeDay: string): Promise<number> {
    const { file, change } = this.#parts;
    const { events, keysDestroyed } = await change("power", () => {
      const row = file.logs.mustFind(logId);
      if (row["pinned"] === 1n) return { events: 0, keysDestroyed: 0 };
      const log = file.rows.integer(row, "num", logId);
      const isHeld = file.logs.holderOf(row) !== undefined;
      return expireLog(file.connection, file.keys, { log, logId, beforeDay, isHeld });
    });
    if (keysDestroyed > 0) await this.forget();
    return events;
  }

  /** Hides a log and destroys its keys, then does the rest. @throws StoreBusy if the store is closed meanwhile. */
  async delete(logId: LogId, beside?: RemoveBeside): Promise<void> {
    const { world, file, signal } = this.#parts;
    let isTight = false;
    /** On a full disk the room of the reserve is used: deleting makes room. */
    const withRoom: WithRoom = async (work) => {
      try {
        return await work(isTight);
      } catch (thrown) {
        if (isTight || !hasReason(thrown, "StoreUnwritable") || !(await this.#spendReserve())) throw thrown;
        isTight = true;
        return await work(isTight);
      }
    };
    const num = await withRoom(() => this.#forgetLog(logId));
    await withRoom(() => this.forget());
    const removeFiles = async () => {
      await beside?.(logId);
      return true;
    };
    if (!(await this.finishDeletion(num, { removeFiles, signal, withRoom }))) signal.throwIfAborted();
    if (isTight) await keepReserve(file.connection.path, world);
  }

  /**
   * Removes what is left of a hidden log whose keys are forgotten: its rows, its files, and last its row in `logs`, by
   * which the next maintenance finds a deletion that broke off. Returns false if the signal or its files stopped it.
   */
  async finishDeletion(num: number, { removeFiles, signal, withRoom }: FinishOptions): Promise<boolean> {
    const { world, file, whenFree } = this.#parts;
    await withRoom((isTight) => removeRows(file.connection, num, { world, whenFree, signal, isTight }));
    if (signal.aborted || !(await removeFiles())) return false;
    // Until then the file itself has the rows still.
    const writeBack = () => truncateLog(file.connection, { clock: world.clock, signal });
    await withRoom(writeBack);
    if (signal.aborted) return false;
    await withRoom(() => removeLogRow(file.connection, num, { whenFree }));
    await withRoom(writeBack);
    return true;
  }

  #forgetLog(logId: LogId): Promise<number> {
    const { file, heads, change } = this.#parts;
    return change("power", () => {
      const row = file.logs.mustFind(logId);
      // A log whose lease is damaged can be deleted: a process that still writes it learns that it has lost it.
      const living = file.logs.holderOr(row, "nobody");
      if (typeof living === "object") throw new HarnessError("LogHeld", { id: logId, pid: `${living.pid}` });
      const num = file.rows.integer(row, "num", logId);
      heads.clear(num); // before its rows: a head whose log is missing means damage
      forgetLog(file.connection, num);
      return num;
    });
  }

  /** Frees the room of the reserve, and reopens a file for writing that could only be read on a full disk. */
  async #spendReserve(): Promise<boolean> {
    const { world, file, reopen } = this.#parts;
    if (!(await spendReserve(file.connection.path, world))) return false;
    if (reopen !== undefined) file.continueWith(reopen());
    return true;
  }

  /** Removes all traces of destroyed keys from memory, the write-ahead log and copies. */
  async forget(): Promise<void> {
    const { world, file, asked, signal } = this.#parts;
    file.forget();
    await asked(() => forgetInBackups(file.connection, world));
    await removeKeptWal(file.connection.path, world);
    await truncateLog(file.connection, { clock: world.clock, signal });
  }
}
