import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { decode } from "../../base/text/text.ts";
import type { Files, World } from "../../base/world.ts";

/**
 * Files and folders that one session creates on disk for its sandbox: a folder that stands for `/tmp`, and empty
 * files and folders in the workspace that are mounted over. Recorded in cinch's own folder, so that a later start
 * removes what the session could not.
 */
export interface SandboxRecord {
  /**
   * Adds what was or will be created to the record. If it cannot be written (no home, a full disk), that is logged
   * and commands run all the same; then only a killed session leaves something behind.
   */
  add(part: RecordedPart): Promise<void>;
  /**
   * Removes the empty files and folders that this session created, then the record. Both stay until a later start if
   * another session works on the same workspace, since it may need them.
   */
  end(): Promise<void>;
}

export interface RecordedPart {
  /** The session's own folder. */
  readonly base: string;
  /** Empty files and folders that are mounted over. */
  readonly made: readonly string[];
  /** Files that do not exist, and that no command may leave behind. */
  readonly absent: readonly string[];
}

interface Written {
  readonly pid: number;
  readonly processStart: string;
  readonly root: string;
  readonly base?: string;
  readonly made: readonly string[];
  readonly absent: readonly string[];
}

const RECORD_BYTES_MAX = 65_536;
const RECORDS_MAX = 256;
/** Path as `Files.makeTemporary` creates it. */
const BASE = /^\/(?:.+\/)?cinch-[A-Za-z0-9]+$/;

const PLANTED = /^\/.+\/commondir$/;

type MachineAccess = Pick<World, "files" | "machine" | "log">;

/**
 * Returns the record of this session. `folder` is cinch's own, hidden from commands: its content was written by cinch.
 */
export function sandboxRecord(
  world: MachineAccess & Pick<World, "ids">,
  folder: string,
  root: string,
): SandboxRecord {
  const { files, machine, log } = world;
  const name = `${machine.pid}-${world.ids.next("call")}`;
  const ownPaths: string[] = [];
  let written: Written = { pid: machine.pid, processStart: machine.processStart, root, made: [], absent: [] };
  return {
    async add(part) {
      const made = [...new Set([...written.made, ...part.made])];
      const absent = [...new Set([...written.absent, ...part.absent])];
      const isSame = made.length === written.made.length && absent.length === written.absent.length;
      if (part.base === written.base && isSame) return;
      written = { ...written, made, absent, base: part.base };
      const before = ownPaths.at(-1);
      const path = join(folder, `${name}.${ownPaths.length}.json`);
      ownPaths.push(path);
      try {
        // A new file each time, which is not synced: it is for the death of this process, not of the machine.
        await files.makeDirectory(folder, 0o700);
        await files.createNew(path, JSON.stringify(written), 0o600);
        if (before !== undefined) await files.remove(before);
      } catch (thrown) {
        const problem = messageOf(thrown);
        log
          .for("sandbox")
          .write("warn", "what a killed session leaves will not be found", { record: path, problem });
      }
    },
    async end() {
      const others = await records(files, folder);
      const needed = others.some(
        (each) => !ownPaths.includes(each.path) && each.root === root && isRunning(machine, each),
      );
      if (needed && written.made.length > 0) return;
      for (const each of written.made) await removeEmpty(files, each);
      for (const path of ownPaths) if ((await files.lstat(path)) !== undefined) await files.remove(path);
    },
  };
}

/**
 * Removes what sessions left whose process has ended. A file or folder that is no longer empty belongs to somebody and
 * stays; but a file that a command may have planted where none may be, and that was not removed in time, goes (S26).
 */
export async function removeLeftovers(world: MachineAccess, folder: string): Promise<void> {
  const { files, machine, log } = world;
  const all = await records(files, folder);
  for (const each of all.filter((one) => !isRunning(machine, one))) {
    try {
      // A session may have started on the same workspace meanwhile, and need these paths.
      const others = await records(files, folder);
      if (others.some((one) => one.root === each.root && isRunning(machine, one))) continue;
      for (const path of each.made) await removeEmpty(files, path);
      for (const path of each.absent) await removePlanted(files, path);
      if (each.base !== undefined && BASE.test(each.base)) await files.remove(each.base);
      await files.remove(each.path);
    } catch (thrown) {
      log.for("sandbox").write("warn", "what a session left could not be removed", {
        record: each.path,
        problem: messageOf(thrown),
      });
    }
  }
}

function isRunning({ isAlive }: World["machine"], { pid, processStart }: Written): boolean {
  return isAlive(pid, processStart);
}

async function records(
  files: Files,
  folder: string,
): Promise<readonly (Written & { readonly path: string })[]> {
  if ((await files.stat(folder)) === undefined) return [];
  const names = (await files.list(folder)).flatMap(({ name }) => (name.endsWith(".json") ? [name] : []));
  const found = await Promise.all(
    names.slice(0, RECORDS_MAX).map(async (name) => {
      const path = join(folder, name);
      const record = await recordIn(files, path);
      return record === undefined ? [] : [{ ...record, path }];
    }),
  );
  return found.flat();
}

/** Returns undefined if the file is no record, or was removed meanwhile. */
async function recordIn(files: Files, path: string): Promise<Written | undefined> {
  try {
    const {
      pid,
      processStart,
      root,
      base,
      made,
      absent = [],
    }: Record<string, unknown> = JSON.parse(decode(await files.read(path, RECORD_BYTES_MAX)));
    if (typeof pid !== "number" || typeof processStart !== "string" || typeof root !== "string")
      return undefined;
    if (!isTexts(made) || !isTexts(absent)) return undefined;
    return { pid, processStart, root, made, absent, ...(typeof base === "string" ? { base } : {}) };
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

/** Checks the name, which is all that is trusted in a record: nothing else is removed that is not empty. */
async function removePlanted(files: Files, path: string): Promise<void> {
  if (PLANTED.test(path)) await files.removeResolved(path);
}

async function removeEmpty(files: Files, path: string): Promise<void> {
  const info = await files.lstat(path);
  const isEmpty =
    info?.kind === "file"
      ? info.size === 0
      : info?.kind === "directory" && (await files.list(path)).length === 0;
  if (isEmpty) await files.removeResolved(path);
}
