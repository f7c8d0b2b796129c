import { join } from "node:path";
import { decode } from "../base/text.ts";
import type { Files } from "../base/world.ts";
import { parseToml } from "../profile/toml.ts";
import type { RunRecord, TaskState } from "./run-record.ts";
import { readRecords, readState } from "./run-record.ts";
import type { ScheduledTask } from "./scheduled-task.ts";
import { readScheduledTask, renderScheduledTask } from "./scheduled-task.ts";

/** Runs that the log of a task keeps. */
export const RUNS_KEPT_MAX = 200;
/** A log is cut once it holds so many: not at each run. */
const RUNS_WRITTEN_MAX = 2 * RUNS_KEPT_MAX;
const FILE_BYTES_MAX = 1_048_576;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const SUFFIX = ".toml";
const STATE = ".state.json";
const LOG = ".runs.jsonl";

export interface TaskFilesOptions {
  readonly files: Files;
  /** The folder that holds them; it need not be there. */
  readonly folder: string;
  /** Waits until this process alone may change what stands in the folder. */
  lock(path: string, signal: AbortSignal): Promise<Disposable>;
}

/**
 * What the folder of one user's scheduled tasks holds: of each task a file that the user may edit, its state, and the log
 * of its runs (ENG-24). Whoever changes what is there holds the lock.
 */
export class TaskFiles {
  readonly #options: TaskFilesOptions;

  constructor(options: TaskFilesOptions) {
    this.#options = options;
  }

  /** The path of the file of a task, whether it is there or not. */
  pathOf(name: string): string {
    return this.#path(name, SUFFIX);
  }

  /** The names of the tasks, sorted; whether the file of each can be read is another thing. */
  async names(): Promise<readonly string[]> {
    const { files, folder } = this.#options;
    if ((await files.stat(folder))?.kind !== "directory") return [];
    return (await files.list(folder))
      .flatMap(({ name, kind }) =>
        kind === "file" && /^[a-z0-9][a-z0-9_-]{0,63}\.toml$/.test(name)
          ? [name.slice(0, -SUFFIX.length)]
          : [],
      )
      .sort();
  }

  /** Whether something bears the name of a task's file, be it one that can be read or not. */
  async has(name: string): Promise<boolean> {
    return (await this.#options.files.lstat(this.pathOf(name))) !== undefined;
  }

  /** Undefined where there is none. @throws HarnessError ConfigInvalid with file, line and key. */
  async read(name: string): Promise<ScheduledTask | undefined> {
    const path = this.pathOf(name);
    const text = await this.#text(path);
    return text === undefined ? undefined : readScheduledTask(name, await parseToml(path, text));
  }

  /** False where there is one of that name, which stays as it is. */
  async create(task: ScheduledTask): Promise<boolean> {
    const { files, folder } = this.#options;
    await files.makeDirectory(folder, FOLDER_MODE);
    return await files.createNew(this.pathOf(task.name), renderScheduledTask(task), FILE_MODE);
  }

  async replace(task: ScheduledTask): Promise<void> {
    await this.#options.files.writeAtomic(this.pathOf(task.name), renderScheduledTask(task), FILE_MODE);
  }

  /** Removes it, its state and the log of its runs. */
  async remove(name: string): Promise<void> {
    const { files } = this.#options;
    for (const path of [this.pathOf(name), this.#path(name, STATE), this.#path(name, LOG)])
      if ((await files.lstat(path)) !== undefined) await files.remove(path);
  }

  async state(name: string): Promise<TaskState> {
    return readState((await this.#text(this.#path(name, STATE))) ?? "");
  }

  async keep(name: string, state: TaskState): Promise<void> {
    await this.#options.files.writeAtomic(this.#path(name, STATE), `${JSON.stringify(state)}\n`, FILE_MODE);
  }

  /** Its runs, the oldest first, at most `RUNS_KEPT_MAX`. */
  async runs(name: string): Promise<readonly RunRecord[]> {
    return readRecords((await this.#text(this.#path(name, LOG))) ?? "").slice(-RUNS_KEPT_MAX);
  }

  /** Writes down how a run came out, with the state that it leaves. */
  async record(name: string, state: TaskState, record: RunRecord): Promise<TaskState> {
    const { files } = this.#options;
    const path = this.#path(name, LOG);
    const line = `${JSON.stringify(record)}\n`;
    const lines = ((await this.#text(path)) ?? "").split("\n");
    // A line that a crash has cut off stays one of its own.
    const end = lines.at(-1) === "" ? "" : "\n";
    if (lines.length < RUNS_WRITTEN_MAX) await files.append(path, end + line, FILE_MODE);
    else await files.writeAtomic(path, `${lines.slice(-RUNS_KEPT_MAX).join("\n")}${end}${line}`, FILE_MODE);
    const next = { ...state, last: record };
    await this.keep(name, next);
    return next;
  }

  /** Waits until this process alone may change what is there. */
  async lock(signal: AbortSignal): Promise<Disposable> {
    const { files, folder, lock } = this.#options;
    await files.makeDirectory(folder, FOLDER_MODE);
    return await lock(join(folder, ".lock.db"), signal);
  }

  /** A link is followed to no file of somebody's choice. */
  async #text(path: string): Promise<string | undefined> {
    const { files } = this.#options;
    if ((await files.lstat(path))?.kind !== "file") return undefined;
    return decode(await files.read(path, FILE_BYTES_MAX));
  }

  #path(name: string, suffix: string): string {
    return join(this.#options.folder, name + suffix);
  }
}
