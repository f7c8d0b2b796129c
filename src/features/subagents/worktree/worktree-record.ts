import { join } from "node:path";
import { isObject, parseJson, stringAt } from "../../../base/json.ts";
import { decode } from "../../../base/text/text.ts";
import type { Files, World } from "../../../base/world.ts";

/** A record of a worktree, written before it is created, so that those of a killed process can be found. */
export interface WorktreeRecord {
  readonly id: string;
  /** The top of its repository. */
  readonly repository: string;
  /** The folder of the worktree. */
  readonly path: string;
  readonly branch: string;
  /** The commit from which it was created. */
  readonly base: string;
  /** The kind of sub-agent. */
  readonly agent: string;
  readonly createdAt: string;
  readonly pid: number;
  readonly processStart: string;
  /** Set if its sub-agent has ended and left changes. */
  readonly kept?: true;
}

const RECORD_BYTES_MAX = 16_384;
const RECORDS_MAX = 1_024;
const ID = /^[0-9a-z]{26}$/;
const TEXTS = ["id", "repository", "path", "branch", "base", "agent", "createdAt", "processStart"] as const;

/** The records of all worktrees, in cinch's own folder. Commands of a sub-agent cannot write there. */
export class WorktreeRecords {
  readonly #files: Files;
  readonly #folder: string;

  constructor(files: Files, folder: string) {
    this.#files = files;
    this.#folder = folder;
  }

  async write(record: WorktreeRecord): Promise<void> {
    await this.#files.makeDirectory(this.#folder, 0o700);
    await this.#files.writeAtomic(this.#path(record.id), JSON.stringify(record), 0o600);
  }

  async remove(id: string): Promise<void> {
    await this.#files.remove(this.#path(id));
  }

  /** Lists the records. Unreadable files are skipped. */
  async list(): Promise<readonly WorktreeRecord[]> {
    if ((await this.#files.stat(this.#folder))?.kind !== "directory") return [];
    const names = (await this.#files.list(this.#folder)).map(({ name }) => name).sort();
    const found: WorktreeRecord[] = [];
    for (const name of names.slice(0, RECORDS_MAX)) {
      const id = name.endsWith(".json") ? name.slice(0, -".json".length) : "";
      if (!ID.test(id)) continue;
      const bytes = await this.#files.read(this.#path(id), RECORD_BYTES_MAX).catch(() => undefined);
      const record = bytes === undefined ? undefined : recordFrom(decode(bytes));
      if (record?.id === id) found.push(record);
    }
    return found;
  }

  #path(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}

/** Returns true if the process that created it is still running. */
export function isWorktreeInUse(
  { pid, processStart, kept }: WorktreeRecord,
  { machine }: Pick<World, "machine">,
): boolean {
  return kept !== true && machine.isAlive(pid, processStart);
}

function recordFrom(text: string): WorktreeRecord | undefined {
  const value = parseJson(text)?.value;
  if (!isObject(value) || TEXTS.some((key) => stringAt(value, key) === undefined)) return undefined;
  return typeof value["pid"] === "number" ? (value as unknown as WorktreeRecord) : undefined;
}
