import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireProgram } from "../../../test/support/requires.ts";
import { LOG_KEY, newLog, says } from "../../../test/support/store-rig.ts";
import { seededRandom, temporaryDirectory, testWorld } from "../../../test/support/world.ts";
import type { LogId } from "../../base/ids.ts";
import { openSqliteStore } from "./open.ts";

const KILLS = 30;
const RACERS = 8;
const CHILD = join(import.meta.dir, "../../../test/support/session-child.ts");

test(`[SES-01 SES-07 SES-18 R13] of ${KILLS} writers killed in the middle, none loses what it acknowledged, and each is overtaken at once`, async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "sessions.db");
  const world = testWorld();
  const log = newLog(world);
  const random = seededRandom(11);
  let before = 0;
  for (let round = 0; round < KILLS; round++) {
    const acknowledged = await killedAfter(1 + Math.floor(random.number() * 40), "append", path, log.logId);
    await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
    expect(await store.losses("all")).toEqual([]); // a kill damages nothing
    const events = await store.events(log.logId, 0, 1_000_000);
    expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
    expect(events.length).toBeGreaterThanOrEqual(acknowledged);
    expect(acknowledged).toBeGreaterThan(before);
    // Each batch came whole: its message names its last event.
    const last = (await store.messages(log.logId)).at(-1);
    expect(last).toEqual({ after: events.length, turn: 1, message: says("user", `${events.length}`) });
    expect((await store.find(log.logId))?.heldBy).toBeUndefined();
    before = acknowledged;
  }
}, 300_000);

test(`[SES-01 SES-02 R37] ${RACERS} processes make one store at once, and one of them gets the log that all want`, async () => {
  await using directory = temporaryDirectory();
  const path = join(directory.path, "deep", "er", "sessions.db");
  const world = testWorld();
  const log = newLog(world);
  const racers = Array.from({ length: RACERS }, () => start("race", path, log.logId));
  try {
    expect(await Promise.all(racers.map(({ line }) => line()))).toEqual(racers.map(() => "opened"));
    await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
    expect((await store.list({ limit: 100 })).map(({ lastEvent }) => lastEvent)).toEqual(racers.map(() => 1));
    await (await store.create(log, world.machine))[Symbol.asyncDispose]();
    for (const { say } of racers) say();
    const outcomes = await Promise.all(racers.map(({ line }) => line()));
    expect(outcomes.sort()).toEqual([...racers.slice(1).map(() => "LogHeld"), "held"]);
  } finally {
    await Promise.all(racers.map(({ kill }) => kill()));
  }
}, 300_000);

requireProgram("strace")(
  "[SES-03 R15 PERF-02] each batch that must survive the loss of power is synced before it is acknowledged, and no other, on another thread than that of the sessions",
  async () => {
    await using directory = temporaryDirectory();
    const syncs: Record<string, number> = {};
    const onMain: Record<string, number> = {};
    for (const durability of ["process", "power", "power, asked for later"]) {
      const trace = join(directory.path, "trace");
      const child = command(durability, join(directory.path, `${durability}.db`));
      const traced = Bun.spawn(["strace", "-f", "-e", "trace=execve,fsync,fdatasync", "-o", trace, ...child]);
      expect(await traced.exited).toBe(0);
      const lines = readFileSync(trace, "utf8").split("\n");
      const synced = lines.filter((line) => /^\d+ +(?:fsync|fdatasync)\(/.test(line));
      const main = lines[0]?.split(" ")[0] ?? "";
      syncs[durability] = synced.length;
      onMain[durability] = synced.filter((line) => line.startsWith(`${main} `)).length;
    }
    const own = syncs["process"] ?? 0;
    const syncsOfFolder = 1;
    const expected = own + 20 + syncsOfFolder;
    expect([syncs["power"], syncs["power, asked for later"]]).toEqual([expected, expected]);
    const ofOpening = onMain["process"] ?? 0;
    expect([onMain["power"], onMain["power, asked for later"]]).toEqual([ofOpening, ofOpening]);
  },
  300_000,
);

for (const [task, end] of [
  ["written back", "ftruncate log"],
  ["closed", "unlink log"],
] as const) {
  requireProgram("strace")(
    `[SES-03 R15] a log that is ${task} after one transaction is synced before the file is written, and the file before the log ends`,
    async () => {
      await using directory = temporaryDirectory();
      const path = join(directory.path, "sessions.db");
      await (await openSqliteStore({ path, world: testWorld(), logKey: LOG_KEY }))[Symbol.asyncDispose]();
      const trace = join(directory.path, "trace");
      const calls = "trace=pwrite64,fsync,fdatasync,ftruncate,unlink";
      const traced = Bun.spawn(["strace", "-f", "-y", "-e", calls, "-o", trace, ...command(task, path)]);
      expect(await traced.exited).toBe(0);
      const steps = stepsIn(readFileSync(trace, "utf8"));
      const synced = ["write log", "sync log", "write file", "ftruncate file", "sync file"];
      expect(steps.slice(0, 1 + steps.indexOf(end))).toEqual([...synced, end]);
    },
    60_000,
  );
}

const withMounts = requireProgram("unshare");

withMounts(
  "[SES-16 R15] a full disk is reported, loses nothing, and the same batch is written once there is room",
  async () => {
    await using directory = temporaryDirectory();
    const disk = join(directory.path, "disk");
    mkdirSync(disk);
    const mount = `mount -t tmpfs -o size=1300k none ${disk} && head -c 300000 /dev/zero > ${disk}/ballast`;
    const told = await mounted(mount, "fill", join(disk, "sessions.db"));
    const acknowledged = Number(told["acknowledged"]);
    expect(acknowledged).toBeGreaterThan(100);
    expect(told).toEqual({
      acknowledged,
      failed: "StoreUnwritable",
      readable: acknowledged,
      again: "nothing was thrown",
      events: acknowledged + 10,
    });
  },
  300_000,
);

requireProgram("prlimit")(
  "[SES-16 R15] after an I/O error the writer writes no more, even when the disk is well again, and what was acknowledged can be read",
  async () => {
    await using directory = temporaryDirectory();
    const path = join(directory.path, "sessions.db");
    // Files cannot grow above 2,000 blocks of 512 bytes: a write fails in the middle.
    const limited = ["sh", "-c", 'trap "" XFSZ; ulimit -S -f 2000; exec "$@"', "sh"];
    const child = Bun.spawn([...limited, ...command("fill", path)], {
      stdout: "pipe",
    });
    const told: unknown = JSON.parse(await new Response(child.stdout).text());
    const acknowledged = Number(Reflect.get(Object(told), "acknowledged"));
    expect(acknowledged).toBeGreaterThan(100);
    expect(told).toEqual({
      acknowledged,
      failed: "StoreUnwritable",
      readable: acknowledged,
      again: "StoreUnwritable",
      events: acknowledged,
    });
  },
  300_000,
);

withMounts(
  "[SES-16] a store on a read-only medium can be read, and every write says that it cannot be",
  async () => {
    await using directory = temporaryDirectory();
    const path = join(directory.path, "sessions.db");
    const world = testWorld();
    const log = newLog(world);
    {
      await using store = await openSqliteStore({ path, world, logKey: LOG_KEY });
      await using writer = await store.create(log, world.machine);
      await writer.append({ messages: [{ after: 0, turn: 1, message: says("user", "hi") }] }, "power");
    }
    writeFileSync(join(directory.path, "probe"), "");
    const mount = `mount --bind ${directory.path} ${directory.path} && mount -o remount,ro,bind ${directory.path}`;
    expect(
      await mounted(`${mount} && ! touch ${directory.path}/probe 2>/dev/null`, "frozen", path, log.logId),
    ).toEqual({
      events: 0,
      opening: "StoreUnwritable",
      creating: "StoreUnwritable",
      making: "StoreUnwritable",
    });
  },
  300_000,
);

interface Running {
  /** The next line it writes. */
  line(): Promise<string | undefined>;
  say(): void;
  kill(): Promise<void>;
}

function start(...args: string[]): Running {
  const child = Bun.spawn(command(...args), { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  const lines = linesOf(child.stdout);
  return {
    line: async () => (await lines.next()).value ?? undefined,
    say() {
      child.stdin.write("\n");
      child.stdin.flush();
    },
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

/** Kills a child right after a number of lines; gives the last number that it wrote before it died. */
async function killedAfter(lines: number, ...args: [string, string, LogId]): Promise<number> {
  const child = start(...args);
  let last = 0;
  for (let at = 0; at < lines; at++) last = Number(await child.line());
  await child.kill();
  for (let line = await child.line(); line !== undefined; line = await child.line()) last = Number(line);
  return last;
}

/** Runs a child in a mount namespace of its own, so that no mount outlives it; gives the JSON it wrote. */
async function mounted(prepare: string, ...args: string[]): Promise<Readonly<Record<string, unknown>>> {
  const inside = ["sh", "-c", `${prepare} && exec "$@"`, "sh", ...command(...args)];
  const child = Bun.spawn(["unshare", "--mount", "--map-root-user", ...inside], { stdout: "pipe" });
  return JSON.parse(await new Response(child.stdout).text());
}

/** Returns what a trace did with a store and its write-ahead log, in order, without repetitions. */
function stepsIn(trace: string): string[] {
  const steps: string[] = [];
  for (const line of trace.split("\n")) {
    const [, call = "", log] = /^\d+ +(\w+)\((?:\d+<|")[^>"]*sessions\.db(-wal)?[>"]/.exec(line) ?? [];
    if (call === "") continue;
    const verb = call === "pwrite64" ? "write" : call.replace(/^f(?:data)?sync$/, "sync");
    const step = `${verb} ${log === undefined ? "file" : "log"}`;
    if (step !== steps.at(-1)) steps.push(step);
  }
  return steps;
}

function command(...args: string[]): string[] {
  return [process.execPath, "--no-install", "--no-env-file", "--config=/dev/null", CHILD, ...args];
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines; // a line that the kill cut off was not acknowledged
  }
  return undefined;
}
