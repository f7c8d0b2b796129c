import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { isWithin } from "../../base/files/below.ts";
import { isObject } from "../../base/json.ts";
import { byteLength, decode } from "../../base/text/text.ts";
import type { Files, World } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";
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
/** Names the process that wrote the record, so that its liveness is known even if the content is incomplete. */
const RECORD_NAME = /^(?<pid>\d+)\.(?<start>[\w-]*)\.\w+\.json$/;

/**
 * Records what git obeyed before a command, until the command has been checked: if cinch is killed meanwhile, the
 * next start finds what the command planted (S26). Returns a function that removes the record.
 *
 * If the record cannot be written, that is logged and the command runs all the same.
 */
export async function recordRun(
  world: MachineAccess & Pick<World, "ids">,
  folder: string,
  before: BeforeRun,
): Promise<() => Promise<void>> {
  const { files, machine, ids, log } = world;
  const start = Buffer.from(machine.processStart).toString("base64url");
  const path = join(folder, `${machine.pid}.${start}.${ids.next("call")}.json`);
  try {
    const text = JSON.stringify(before);
    if (byteLength(text) > RECORD_BYTES_MAX)
      throw new Error(`it has ${byteLength(text)} bytes, and at most ${RECORD_BYTES_MAX} are read`);
    await createIn(files, folder, () => files.createNew(path, text, 0o600));
  } catch (thrown) {
    const problem = messageOf(thrown);
    log
      .for("sandbox")
      .write("warn", "what a command plants is not found if cinch is killed", { path, problem });
    return () => Promise.resolve();
  }
  return () => files.remove(path);
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
