import { join } from "node:path";
import type { HarnessError } from "../../../base/errors.ts";
import { decode, shortened } from "../../../base/text/text.ts";
import type { Files } from "../../../base/world.ts";
import { invalid, parseToml } from "../../../config/toml.ts";
import type { RunRecord, TaskState } from "./run-record.ts";
import { readRecords, readState } from "./run-record.ts";
import type { ScheduledTask } from "./scheduled-task.ts";
import { isTaskName, readScheduledTask, renderScheduledTask, TASK_NAME_FORM } from "./scheduled-task.ts";

/** Limit for runs in a task's log. */
export const RUNS_KEPT_MAX = 200;
/** Count of runs at which a log is cut: not at each run. */
const RUNS_WRITTEN_MAX = 2 * RUNS_KEPT_MAX;
/** Limit for the detail of a failure; a server may answer with any length. */
const DETAIL_CHARACTERS_MAX = 1_000;
const FILE_BYTES_MAX = 1_048_576;
/** More than the runs of a log can take. */
const LOG_BYTES_MAX = 4 * 1_048_576;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const SUFFIX = ".toml";
const STATE = ".state.json";
const LOG = ".runs.jsonl";
const NO_FILE = {
  directory: "it is a folder, not a task",
  symlink: "it is a link, which is not followed: put the file itself here",
  other: "it is not a regular file",
} as const;

export interface TaskFilesOptions {
  readonly files: Files;
  /** Folder of the tasks; it need not exist. */
  readonly folder: string;
  /** Waits until only this process may change files in the folder. */
  lock(path: string, signal: AbortSignal): Promise<Disposable>;
}

/**
 * Files in the folder of one user's scheduled tasks: for each task a file that the user may edit, its state, and the
 * log of its runs (ENG-24). A process that changes them holds the lock.
 */
export class TaskFiles {
  readonly #options: TaskFilesOptions;

  constructor(options: TaskFilesOptions) {
    this.#options = options;
  }

  /** Returns the path of a task's file, existing or not. */
  pathOf(name: string): string {
    return this.#path(name, SUFFIX);
  }

  /**
   * Returns the names of the tasks, sorted, readable or not; and problems for files that have the ending of a task
   *  but are none, for the user who put them there.
   */
  async names(): Promise<{ readonly names: readonly string[]; readonly strange: readonly HarnessError[] }> {
    const { files, folder } = this.#options;
    if ((await files.stat(folder))?.kind !== "directory") return { names: [], strange: [] };
    const names: string[] = [];
    const strange: HarnessError[] = [];
    const entries = [...(await files.list(folder))].sort((one, other) => (one.name < other.name ? -1 : 1));
    for (const { name: file, kind } of entries) {
      if (!file.endsWith(SUFFIX) || file.startsWith(".")) continue; // those of editors begin with a dot
      const name = file.slice(0, -SUFFIX.length);
      const path = join(folder, file);
      if (kind !== "file") strange.push(invalid(path, 1, "TOML", NO_FILE[kind]));
      else if (!isTaskName(name))
        strange.push(invalid(path, 1, "name", `it is not a task name: rename it to ${TASK_NAME_FORM}`));
      else names.push(name);
    }
    return { names, strange };
  }

  /** Returns true if an entry with the name of a task's file exists, readable or not. */
  async has(name: string): Promise<boolean> {
    return (await this.#options.files.lstat(this.pathOf(name))) !== undefined;
  }

  /** Returns undefined if there is none. @throws HarnessError ConfigInvalid with file, line and key. */
  async read(name: string): Promise<ScheduledTask | undefined> {
    const path = this.pathOf(name);
    const { size = 0 } = (await this.#options.files.lstat(path)) ?? {};
    if (size > FILE_BYTES_MAX)
      throw invalid(path, 1, "prompt", `the file has more than ${FILE_BYTES_MAX} bytes`);
    const bytes = await this.#bytes(path, FILE_BYTES_MAX);
    return bytes === undefined ? undefined : readScheduledTask(name, await parseToml(path, bytes));
  }

  /** Creates a task. Returns false if one with that name exists, which stays unchanged. */
  async create(task: ScheduledTask): Promise<boolean> {
    const { files, folder } = this.#options;
    await files.makeDirectory(folder, FOLDER_MODE);
    return await files.createNew(this.pathOf(task.name), renderScheduledTask(task), FILE_MODE);
  }

  /** Rewrites the file of a task. */
  async replace(task: ScheduledTask): Promise<void> {
    await this.#options.files.writeAtomic(this.pathOf(task.name), renderScheduledTask(task), FILE_MODE);
  }

  /** Removes it, its state and the log of its runs. */
  async remove(name: string): Promise<void> {
    const { files } = this.#options;
    for (const path of [this.pathOf(name), this.#path(name, STATE), this.#path(name, LOG)])
      if ((await files.lstat(path)) !== undefined) await files.remove(path);
  }

  /** Reads the stored state of a task: empty if it never ran, or its file has foreign content. */
  async state(name: string): Promise<TaskState> {
    return readState((await this.#text(this.#path(name, STATE), FILE_BYTES_MAX)) ?? "");
  }

  /** Writes the state of a task. */
  async writeState(name: string, state: TaskState): Promise<void> {
    await this.#options.files.writeAtomic(this.#path(name, STATE), `${JSON.stringify(state)}\n`, FILE_MODE);
  }

  /** Returns its runs, the oldest first, at most `RUNS_KEPT_MAX`. */
  async runs(name: string): Promise<readonly RunRecord[]> {
    return readRecords((await this.#logOf(name)).text).slice(-RUNS_KEPT_MAX);
  }

  /** Records the result of a run, with the state after it. */
  async record(name: string, state: TaskState, ended: RunRecord): Promise<TaskState> {
    const { files } = this.#options;
    const path = this.#path(name, LOG);
    const { detail } = ended;
    const record: RunRecord =
      detail === undefined ? ended : { ...ended, detail: shortened(detail, DETAIL_CHARACTERS_MAX) };
    const line = `${JSON.stringify(record)}\n`;
    const { text, isWhole } = await this.#logOf(name);
    const lines = text.split("\n").slice(isWhole ? 0 : 1);
    // A line that a crash has cut off stays separate.
    const end = lines.at(-1) === "" ? "" : "\n";
    if (isWhole && lines.length < RUNS_WRITTEN_MAX) await files.append(path, end + line, FILE_MODE);
    else await files.writeAtomic(path, `${lines.slice(-RUNS_KEPT_MAX).join("\n")}${end}${line}`, FILE_MODE);
    const next = { ...state, last: record };
    await this.writeState(name, next);
    return next;
  }

  /** Waits until only this process may change the files. */
  async lock(signal: AbortSignal): Promise<Disposable> {
    const { files, folder, lock } = this.#options;
    await files.makeDirectory(folder, FOLDER_MODE);
    return await lock(join(folder, ".lock.db"), signal);
  }

  /** Reads the end of a log, enough for the newest runs. */
  async #logOf(name: string): Promise<{ readonly text: string; readonly isWhole: boolean }> {
    const path = this.#path(name, LOG);
    const size = (await this.#options.files.lstat(path))?.size ?? 0;
    const text = (await this.#text(path, LOG_BYTES_MAX, Math.max(0, size - LOG_BYTES_MAX))) ?? "";
    return { text, isWhole: size <= LOG_BYTES_MAX };
  }

  async #text(path: string, bytesMax: number, from = 0): Promise<string | undefined> {
    const bytes = await this.#bytes(path, bytesMax, from);
    return bytes === undefined ? undefined : decode(bytes);
  }

  /** Reads a limited number of bytes of a file. Follows no link to a file of somebody's choice. */
  async #bytes(path: string, bytesMax: number, from = 0): Promise<Uint8Array | undefined> {
    const { files } = this.#options;
    const info = await files.lstat(path);
    if (info?.kind !== "file") return undefined;
    return await files.readRange(path, from, Math.min(bytesMax, info.size));
  }

  #path(name: string, suffix: string): string {
    return join(this.#options.folder, name + suffix);
  }
}
