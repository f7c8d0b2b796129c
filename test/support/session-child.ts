import { writeSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf } from "../../src/base/errors.ts";
import type { LogId } from "../../src/base/ids.ts";
import { SILENT_LOG } from "../../src/base/log.ts";
import { hostWorld } from "../../src/platform/host.ts";
import { openSqliteStore } from "../../src/session/sqlite/open.ts";
import type { Durability, SessionStore, SessionWriter } from "../../src/session/store/store.ts";
import { LOG_KEY, newLog, reasonOf, says, texts } from "./store-rig.ts";

/**
 * A process that uses a session store, for tests that kill it, race it or take its disk away:
 * `session-child.ts <task> <path> [log id]`. What it acknowledges it has written to standard output before.
 */
const [task = "", path = "", logId = ""] = process.argv.slice(2);
const world = hostWorld(SILENT_LOG);
const session = world.ids.next("sess");
const input = Bun.stdin.stream().getReader();

if (task === "append") await append();
else if (task === "race") await race();
else if (task === "fill") await fill();
else if (task === "frozen") await frozen();
else if (task === "upgrade")
  await (await openSqliteStore({ path, world, logKey: LOG_KEY }))[Symbol.asyncDispose]();
else if (task === "power" || task === "process") await appendTwenty(task, false);
else if (task === "power, asked for later") await appendTwenty("process", true);
else if (task === "written back") await writtenBack();
else if (task === "closed") await closed();
else throw new Error(`no task ${task}`);

/** Appends to the log for ever, from process to process; a line for each batch that was acknowledged. */
async function append(): Promise<void> {
  const store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await using writer = await openOrCreate(store);
  for (let last = writer.lastEvent; ; ) {
    const size = 1 + (last % 3);
    await writer.append(batch(last, size), last % 2 === 0 ? "power" : "process");
    last += size;
    tell(`${last}`);
  }
}

function batch(last: number, size: number) {
  const events = texts(
    session,
    last + 1,
    Array.from({ length: size }, () => "x".repeat(200)),
  );
  return { events, messages: [{ after: last + size, turn: 1, message: says("user", `${last + size}`) }] };
}

/** Opens the store while others do, then the log that all of them want; holds it until it is killed. */
async function race(): Promise<void> {
  const store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await using own = await store.create(newLog(world), world.machine);
  await own.append(batch(0, 1), "power");
  tell("opened");
  await lineFromParent();
  const opening = store.open(logId as LogId, session, world.machine);
  const reason = await reasonOf(opening);
  if (reason !== "nothing was thrown") return tell(reason);
  tell("held");
  await lineFromParent();
}

/** Appends until the disk is full, reads, makes room and appends the same again. */
async function fill(): Promise<void> {
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const log = newLog(world);
  await using writer = await store.create(log, world.machine);
  let last = 0;
  let failed = "";
  while (failed === "") {
    const reason = await reasonOf(writer.append(batch(last, 10), "power"));
    if (reason === "nothing was thrown") last += 10;
    else failed = reason;
  }
  const readable = (await store.events(log.logId, 0, 1_000_000)).length;
  await rm(join(dirname(path), "ballast"), { force: true });
  Bun.spawnSync(["prlimit", "--pid", `${process.pid}`, "--fsize=unlimited"]);
  const again = await reasonOf(writer.append(batch(last, 10), "power"));
  const events = (await store.events(log.logId, 0, 1_000_000)).length;
  tell(JSON.stringify({ acknowledged: last, failed, readable, again, events }));
}

/** Reads and tries to write on a medium that takes no writes. */
async function frozen(): Promise<void> {
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  const events = (await store.events(logId as LogId, 0, 100)).length;
  const opening = await reasonOf(store.open(logId as LogId, session, world.machine));
  const creating = await reasonOf(store.create(newLog(world), world.machine));
  const making = await reasonOf(
    openSqliteStore({ path: join(dirname(path), "other", "new.db"), world, logKey: LOG_KEY }),
  );
  tell(JSON.stringify({ events, opening, creating, making }));
}

/** Appends twenty batches of one durability, for whoever counts what the system is asked for. */
async function appendTwenty(durability: Durability, andThenPower: boolean): Promise<void> {
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await using writer = await store.create(newLog(world), world.machine);
  for (let last = 0; last < 20; last++) {
    await writer.append(batch(last, 1), durability);
    if (andThenPower) await writer.append({}, "power");
  }
}

/** Writes one batch that is longer than the store, and lets maintenance write it back. */
async function writtenBack(): Promise<void> {
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await using writer = await store.create(newLog(world), world.machine);
  const long = Buffer.from(world.random.bytes(1_000_000)).toString("base64");
  await writer.append({ messages: [{ after: 0, turn: 1, message: says("user", long) }] }, "process");
  await store.maintain(new AbortController().signal);
}

/** Adds a log without a batch, as its writer closes: the only transaction. */
async function closed(): Promise<void> {
  await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
  await (await store.create(newLog(world), world.machine))[Symbol.asyncDispose]();
}

async function openOrCreate(store: SessionStore): Promise<SessionWriter> {
  const known = await store.find(logId as LogId);
  if (known !== undefined) return store.open(known.logId, session, world.machine);
  return store.create({ ...newLog(world), logId: logId as LogId, session }, world.machine);
}

/** Waits for a line, or for the end of the parent. */
async function lineFromParent(): Promise<void> {
  await input.read();
}

function tell(line: string): void {
  try {
    writeSync(1, `${line}\n`);
  } catch (thrown) {
    throw new Error(`the parent is gone: ${messageOf(thrown)}`, { cause: thrown });
  }
}
