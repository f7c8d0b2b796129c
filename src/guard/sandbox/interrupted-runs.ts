import { dirname, join } from "node:path";
import { deadline, whileAlive } from "../../base/async/deadline.ts";
import { messageOf } from "../../base/errors.ts";
import { isWithin } from "../../base/files/below.ts";
import { isObject } from "../../base/json.ts";
import { byteLength, decode } from "../../base/text/text.ts";
import type { Clock, Files, World } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
import { ToolFailure } from "../../tools/tool.ts";
import { hostRunNotes, removePlantedLinks } from "./after-run.ts";
import type { SavedLinks } from "./repository/git-links.ts";
import { gitLinks } from "./repository/git-links.ts";
import { displayedChange } from "./repository/host-run.ts";
import { repositoryScan } from "./repository/repository-scan.ts";
import type { SavedWatch } from "./repository/repository-watch.ts";
import { repositoryWatch } from "./repository/repository-watch.ts";

/** State before a command: what git obeyed, and the paths that the command could not write. */
export interface BeforeRun {
  readonly closed: readonly string[];
  readonly watches: readonly SavedWatch[];
  readonly links: SavedLinks;
}

type MachineAccess = Pick<World, "files" | "machine" | "log">;

const RECORD_BYTES_MAX = 16 * 1_048_576;
const RECORDS_MAX = 64;
/** Limit of a command's wait for its record: less than for the log, so that the error names this disk. */
export const RECORD_MS_MAX = 10_000;
/** Names the process that wrote the record, so that its liveness is known even if the content is incomplete. */
const RECORD_NAME = /^(?<pid>\d+)\.(?<start>[\w-]*)\.\w+\.json$/;

/** The record of the state before one run. */
export interface BeforeRunRecord {
  /**
   * Resolves when the command may begin: also if the record cannot be written, which is logged. Rejects with a
   * ToolFailure if the disk has not taken the record within `RECORD_MS_MAX`.
   */
  readonly written: Promise<void>;
  /** Resolves when `written` has settled. */
  readonly settled: Promise<unknown>;
  /** Removes the record. One that the disk has not taken in time is removed whenever it is there; nobody waits. */
  end(): Promise<void>;
}

/**
 * Records what git obeyed before a command, until the command has been checked: if cinch is killed meanwhile, the
 * next start finds what the command planted (S26).
 */
export function recordRun(
  world: MachineAccess & Pick<World, "clock" | "ids">,
  folder: string,
  before: BeforeRun,
): BeforeRunRecord {
  const { files, machine, ids, clock } = world;
  const start = Buffer.from(machine.processStart).toString("base64url");
  const path = join(folder, `${machine.pid}.${start}.${ids.next("call")}.json`);
  const writing = writeRecord(world, path, before);
  const written = untilWritten(clock, writing, path);
  const settled = written.then(
    () => true,
    () => false, // the command gets the error
  );
  const remove = async () => {
    if (await writing) await files.remove(path);
  };
  return {
    written,
    settled,
    async end() {
      if (await settled) await remove();
      else void removeLate(world, remove, path);
    },
  };
}

/** Never rejects: no caller awaits this. */
async function removeLate({ log }: MachineAccess, remove: () => Promise<void>, path: string): Promise<void> {
  try {
    await remove();
  } catch (thrown) {
    const problem = messageOf(thrown);
    log
      .for("sandbox")
      .write("warn", "the late record of a run that did not begin was not removed", { path, problem });
  }
}

/** @throws ToolFailure if that takes longer than `RECORD_MS_MAX`: a command waits for it, and a disk may hang. */
async function untilWritten(clock: Clock, writing: Promise<unknown>, path: string): Promise<void> {
  using limit = deadline(clock, RECORD_MS_MAX, new AbortController().signal);
  try {
    await whileAlive(writing, limit.signal);
  } catch (thrown) {
    throw new ToolFailure(
      `nothing was run: the record of this run could not be written within ${RECORD_MS_MAX / 1_000} s, to ${path}. Check that the disk of this folder takes writes, then try again.`,
      { cause: thrown },
    );
  }
}

/** Returns true if there is a record now. A failure is logged. */
async function writeRecord(world: MachineAccess, path: string, before: BeforeRun): Promise<boolean> {
  const { files } = world;
  try {
    const text = JSON.stringify(before);
    if (byteLength(text) > RECORD_BYTES_MAX)
      throw new Error(`it has ${byteLength(text)} bytes, and at most ${RECORD_BYTES_MAX} are read`);
    await createIn(files, dirname(path), () => files.createNew(path, text, 0o600));
    return true;
  } catch (thrown) {
    const problem = messageOf(thrown);
    world.log
      .for("sandbox")
      .write("warn", "what a command plants is not found if cinch is killed", { path, problem });
    return false;
  }
}

/** Creates a file, with its folder only where that is missing: each command waits for this. */
async function createIn(files: Files, folder: string, create: () => Promise<boolean>): Promise<void> {
  try {
    await create();
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    await files.makeDirectory(folder, 0o700);
    await create();
  }
}

/**
 * Disarms what commands of killed sessions planted for git, in each of their workspaces, and returns notices for the
 * user. Changes that the user made since cannot be distinguished from the command's, except at paths that were closed
 * to it.
 */
export async function disarmInterruptedRuns(
  world: MachineAccess,
  folder: string,
): Promise<readonly string[]> {
  const { files, machine, log } = world;
  const notices: string[] = [];
  const names = (await files.list(folder)).map(({ name }) => name).filter((name) => isLeft(machine, name));
  for (const name of names.slice(0, RECORDS_MAX)) {
    const path = join(folder, name);
    try {
      const record = await recordIn(files, path);
      if (record !== undefined) notices.push(...(await disarmed(files, record)));
      await files.remove(path);
    } catch (thrown) {
      const problem = messageOf(thrown);
      log
        .for("sandbox")
        .write("error", "what a killed session's command left was not checked", { path, problem });
    }
  }
  return notices;
}

async function disarmed(
  files: Files,
  { closed, watches, links: saved }: BeforeRun,
): Promise<readonly string[]> {
  const links = gitLinks(files);
  links.restore(saved);
  const notes: string[] = [];
  for (const each of watches) {
    const { root } = each;
    if ((await files.stat(root))?.kind !== "directory") continue;
    const watch = repositoryWatch(files, { scan: repositoryScan(files, root), links, root });
    watch.restore(each);
    const news = await watch.look((path) => closed.some((place) => isWithin(place, path)));
    // Absolute: the next start may be in another folder.
    notes.push(
      ...hostRunNotes({ files: [], repositories: news.map((one) => displayedChange("/nowhere", one)) }),
    );
  }
  notes.push(...(await removePlantedLinks(files, await links.planted())));
  return notes.map((note) => `A command ran when cinch was killed. ${note.slice(1, -1)}.`);
}

function isLeft({ isAlive }: World["machine"], name: string): boolean {
  const { pid, start } = RECORD_NAME.exec(name)?.groups ?? {};
  if (pid === undefined || start === undefined) return false;
  return !isAlive(Number(pid), Buffer.from(start, "base64url").toString());
}

/**
 * Returns undefined for an invalid record: cut short when its session was killed before the command began, or removed
 * by another start meanwhile.
 */
async function recordIn(files: Files, path: string): Promise<BeforeRun | undefined> {
  try {
    const read: unknown = JSON.parse(decode(await files.read(path, RECORD_BYTES_MAX)));
    if (!isObject(read)) return undefined;
    const { closed, watches, links } = read;
    const isWhole = [closed, watches, links].every((part) => Array.isArray(part));
    return isWhole ? (read as unknown as BeforeRun) : undefined;
  } catch (thrown) {
    if (thrown instanceof SyntaxError || codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
