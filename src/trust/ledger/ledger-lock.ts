import { HarnessError, messageOf } from "../../base/errors.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { decode } from "../../base/text.ts";
import type { World } from "../../base/world.ts";
import { codeOf } from "../../base/world.ts";

type LockWorld = Pick<World, "files" | "clock" | "machine">;

const HELD_BYTES_MAX = 1_024;
const TRY_AGAIN_MS = 20;
const WAIT_MS_MAX = 5_000;

/**
 * Runs `change` while no other process changes the same file: `<path>.held` stands for the one that does.
 *
 * A process that died with it is noticed and passed over. Two that notice at the very same moment may then both go on:
 * an approval of one of them is lost and asked for again, none is made up. One that names nobody to the end of the wait
 * was left by a process that died, or found no room, while it wrote its name.
 * @throws HarnessError TrustLedgerUnwritable when it cannot be had within `WAIT_MS_MAX`.
 */
export async function whileHeld<Result>(
  world: LockWorld,
  path: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const { clock, files, machine } = world;
  const held = `${path}.held`;
  const { signal } = new AbortController();
  const until = clock.monotonic() + WAIT_MS_MAX;
  const mine = JSON.stringify({ pid: machine.pid, start: machine.processStart });
  while (!(await created(world, held, mine, path))) {
    const isLate = clock.monotonic() >= until;
    const { holder, text } = await holderOf(world, held);
    if (holder === "dead" || (holder === "unnamed" && isLate)) {
      // One that was done may have ended meanwhile: what stands there by now is another one's.
      if ((await textOf(files, held)) === text) await files.remove(held);
    } else if (isLate) {
      throw new HarnessError("TrustLedgerUnwritable", { path, detail: `another cinch holds ${held}` });
    } else await clock.sleep(TRY_AGAIN_MS, signal);
  }
  try {
    return await change();
  } finally {
    await files.remove(held);
  }
}

async function created({ files }: LockWorld, held: string, mine: string, path: string): Promise<boolean> {
  try {
    return await files.createNew(held, mine, 0o600);
  } catch (thrown) {
    if (codeOf(thrown) === undefined) throw thrown;
    throw new HarnessError("TrustLedgerUnwritable", { path, detail: messageOf(thrown) }, { cause: thrown });
  }
}

async function holderOf(
  { files, machine }: LockWorld,
  held: string,
): Promise<{ readonly holder: "nobody" | "unnamed" | "dead" | "alive"; readonly text?: string }> {
  const text = await textOf(files, held);
  if (text === undefined) return { holder: "nobody" }; // it has just been freed
  const named = parseJson(text)?.value;
  if (!isObject(named)) return { holder: "unnamed", text }; // most likely, it is being written
  const { pid, start } = named;
  const isDead = typeof pid === "number" && typeof start === "string" && !machine.isAlive(pid, start);
  return { holder: isDead ? "dead" : "alive", text };
}

async function textOf(files: World["files"], path: string): Promise<string | undefined> {
  try {
    return decode(await files.readRange(path, 0, HELD_BYTES_MAX));
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
